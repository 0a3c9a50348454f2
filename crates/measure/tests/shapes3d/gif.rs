//! Just enough of the GIF format for one file: a palette for all frames, each of which changes a
//! rectangle of the one before; nothing is interlaced.

/// The frames of an animation, `width` pixels wide, red, green and blue for each pixel.
pub(crate) struct Gif {
    pub(crate) width: usize,
    pub(crate) frames: Vec<Vec<[u8; 3]>>,
}

impl Gif {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let number = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        assert!(bytes.starts_with(b"GIF89a") && bytes[10] & 0x80 != 0);
        let (width, height) = (number(6), number(8));
        let colours = 2 << (bytes[10] & 7);
        let palette: Vec<[u8; 3]> = bytes[13..13 + 3 * colours].as_chunks().0.to_vec();
        let mut at = 13 + 3 * colours;
        let (mut canvas, mut frames) = (vec![[255; 3]; width * height], Vec::new());
        let mut transparent = None;
        loop {
            match bytes[at] {
                0x21 => {
                    if bytes[at + 1] == 0xf9 {
                        transparent = (bytes[at + 3] & 1 == 1).then_some(bytes[at + 6]);
                    }
                    at = blocks(bytes, at + 2).1;
                }
                0x2c => {
                    let [left, top, across, _] = [1, 3, 5, 7].map(|k| number(at + k));
                    assert_eq!(bytes[at + 9], 0, "no palette of its own, not interlaced");
                    let (data, next) = blocks(bytes, at + 11);
                    let pixels = unpack(&data, bytes[at + 10].into());
                    for (k, colour) in pixels.into_iter().enumerate() {
                        if Some(colour) != transparent {
                            let place = (top + k / across) * width + left + k % across;
                            canvas[place] = palette[usize::from(colour)];
                        }
                    }
                    frames.push(canvas.clone());
                    at = next;
                }
                _ => return Self { width, frames },
            }
        }
    }

    /// A frame in its original 64x64 pixels, channel by channel, 0 to 1. In the preview a pixel is
    /// 3.5 wide and high; a white frame covers the outermost ones in part.
    pub(crate) fn small(&self, frame: usize) -> Vec<f32> {
        let edges = |from: f32| {
            let edge = move |k: usize| ((from + 3.5 * k as f32).floor() as usize).clamp(3, 224);
            move |k: usize| edge(k)..edge(k + 1)
        };
        let (rows, columns) = (edges(0.5), edges(1.5));
        let level = |channel: usize, row: usize, column: usize| {
            let places = rows(row).flat_map(|y| columns(column).map(move |x| (y, x)));
            let pixels = places.map(|(y, x)| self.frames[frame][y * self.width + x][channel]);
            let (sum, count) = pixels
                .fold((0.0, 0.0), |(sum, count), level| (sum + f32::from(level), count + 1.0));
            sum / count / 255.0
        };
        (0..3 * 64 * 64).map(|k| level(k / 4096, k / 64 % 64, k % 64)).collect()
    }
}

/// The bytes of a chain of blocks, and where it ends.
fn blocks(bytes: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let mut data = Vec::new();
    while bytes[at] != 0 {
        let size = usize::from(bytes[at]);
        data.extend(&bytes[at + 1..][..size]);
        at += size + 1;
    }
    (data, at + 1)
}

/// The compression of Lempel, Ziv and Welch: a code stands for a sequence seen before.
fn unpack(data: &[u8], depth: usize) -> Vec<u8> {
    let (clear, end) = (1 << depth, (1 << depth) + 1);
    let bit = |at: usize| usize::from(data[at / 8] >> (at % 8) & 1);
    let (mut at, mut out) = (0, Vec::new());
    // Where each sequence lies in `out`; those of one byte lie nowhere.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<(usize, usize)> = None;
    loop {
        let known = end + 1 + table.len() + usize::from(before.is_some());
        let width = (usize::BITS - (known - 1).leading_zeros()).clamp(depth as u32 + 1, 12);
        let code = (0..width as usize).map(|k| bit(at + k) << k).sum::<usize>();
        at += width as usize;
        if code == end {
            return out;
        }
        if code == clear {
            table.clear();
            before = None;
            continue;
        }
        // What came before and the first byte of what comes now.
        if let Some((start, length)) = before.filter(|_| end + 1 + table.len() < 4096) {
            table.push((start, length + 1));
        }
        let start = out.len();
        match code.checked_sub(end + 1) {
            None => out.push(code as u8),
            Some(entry) => {
                let (from, length) = table[entry];
                for k in from..from + length {
                    out.push(out[k]);
                }
            }
        }
        before = Some((start, out.len() - start));
    }
}
