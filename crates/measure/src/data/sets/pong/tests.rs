use super::*;

#[test]
fn speed() {
    let data = open(&Table::new()).unwrap().0;
    let mut out = vec![0.0; 4096];
    let start = std::time::Instant::now();
    for row in 0..data.len() {
        data.observe(row, &mut out);
        std::hint::black_box(&out);
    }
    eprintln!("{:?} a frame", start.elapsed() / data.len() as u32);
}
