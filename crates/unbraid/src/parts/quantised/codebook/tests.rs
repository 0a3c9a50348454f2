use super::*;
use crate::compute::device;

fn books(codebook: Learned) -> Codebooks {
    let settings =
        CodebookSettings { books: 2, codes: 3, embedding: 4, codebook, commitment: 0.25 };
    let codes = Codebooks::new(&settings, &mut Rng::new(0), &device::training());
    // Book 0 knows (0, 0), (1, 1), (2, 2), book 1 ten times as much.
    let of = |book: usize| (0..3).flat_map(move |k| [k as f32 * [1.0, 10.0][book]; 2]);
    codes.with((0..2).flat_map(of).collect(), vec![1.0; 6])
}

fn rows(numbers: &[f32]) -> Tensor<2> {
    batch::matrix(numbers, numbers.len() / 4, 4, &device::training())
}

fn step(number: u64) -> Step {
    Step::new(number, 1000, &Rng::new(0))
}

#[test]
fn each_book_sees_its_own_slice_and_takes_the_nearest() {
    for codebook in [Learned::Ema, Learned::Loss] {
        let books = books(codebook);
        let e = rows(&[0.9, 1.2, 19.0, 18.0, 0.1, -0.3, 4.0, 3.0]);
        let found = books.quantise(e.clone(), &mut step(0));
        assert_eq!(batch::numbers(found.vectors), [1.0, 1.0, 20.0, 20.0, 0.0, 0.0, 0.0, 0.0]);
        let places = books.places(e);
        assert_eq!(batch::numbers(places.clone()), [1.0, 2.0, 0.0, 0.0]);
        assert_eq!(
            batch::numbers(books.vectors(places + 0.3)),
            [1.0, 1.0, 20.0, 20.0, 0.0, 0.0, 0.0, 0.0]
        );
    }
}

#[test]
fn gradients_pass_straight_through_and_the_commitment_pulls_to_the_code() {
    let e = rows(&[0.9, 1.2, 19.0, 18.0]).require_grad();
    let found = || books(Learned::Ema).quantise(e.clone(), &mut step(0));
    let weights = rows(&[1.0, 2.0, 3.0, 4.0]);
    let through = (found().vectors * weights).sum().backward();
    assert_eq!(batch::numbers(e.grad(&through).unwrap()), [1.0, 2.0, 3.0, 4.0]);
    let pulled = batch::numbers(e.grad(&found().loss.backward()).unwrap());
    // 0.25 · 2 (e − q) / 2
    for (found, expected) in pulled.iter().zip([-0.025, 0.05, -0.25, -0.5]) {
        assert!((found - expected).abs() < 1e-5, "{pulled:?}");
    }
}

#[test]
fn averages_go_a_hundredth_of_the_way_and_dead_codes_are_put_on_vectors_of_the_batch() {
    let e: Vec<f32> = (0..50).flat_map(|k| [1.0 + k as f32 / 100.0, 1.0, 20.0, 20.0]).collect();
    let e = rows(&e);
    let codes = books(Learned::Ema);
    let moved = codes.quantise(e.clone(), &mut step(0)).averages.unwrap().applied(codes.clone());
    let counts = batch::numbers(moved.counts.as_ref().unwrap().val());
    assert!((counts[1] - (0.99 + 0.5)).abs() < 1e-5 && (counts[0] - 0.99).abs() < 1e-5);
    // The mean of 1 … 1.49 and of the code itself, by their counts.
    let code = batch::numbers(moved.codes())[2];
    assert!((code - (0.99 + 0.5 * 1.245) / 1.49).abs() < 1e-4, "{code}");

    let mut dead = codes.with(vec![0.5; 12], vec![0.01; 6]);
    let averages = dead.quantise(e.clone(), &mut step(99)).averages.unwrap();
    dead = averages.applied(dead);
    let found = batch::numbers(dead.codes());
    assert!(found[..6].iter().all(|n| (1.0..1.5).contains(n)), "{found:?}");
    assert!(found[6..].iter().all(|n| (n - 20.0).abs() < 1e-3), "{found:?}");
}

#[test]
fn sorted_codes_decode_to_the_same_and_neighbours_are_near() {
    let codes = books(Learned::Ema);
    let mixed = vec![2.0, 2.0, 0.0, 0.0, 1.0, 1.0, 10.0, 10.0, 20.0, 20.0, 0.0, 0.0];
    let sorted = codes.with(mixed, vec![1.0; 6]).ordered(&Rng::new(0)).unwrap();
    let numbers = batch::numbers(sorted.codes());
    let rises = |book: &[f32]| {
        let steps: Vec<f32> = book.chunks(2).map(|code| code[0]).collect();
        steps.is_sorted() || steps.iter().rev().is_sorted()
    };
    assert!(rises(&numbers[..6]) && rises(&numbers[6..]), "{numbers:?}");
}

#[test]
fn slices_must_be_whole() {
    let settings = CodebookSettings {
        books: 3,
        codes: 8,
        embedding: 32,
        codebook: Learned::Ema,
        commitment: 0.25,
    };
    let refused = settings.check().unwrap_err().to_string();
    assert!(refused.contains("multiple of model.books"), "{refused}");
}

#[test]
fn a_code_that_was_left_long_ago_is_still_a_number() {
    let codes = books(Learned::Ema).with(vec![0.0; 12], vec![0.0; 6]);
    assert!(batch::numbers(codes.codes()).iter().all(|number| number.is_finite()));
}
