use std::fs;
use std::path::PathBuf;

use image::{GrayImage, Luma, Rgb, RgbImage, Rgba, RgbaImage};

use super::*;
use crate::data::testing::{assert_refused, row};
use crate::data::{Dataset, Range};

/// A folder of pictures for one test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn grey(&self, name: &str, width: u32, level: u8) {
        GrayImage::from_pixel(width, 2, Luma([level])).save(self.path(name)).unwrap();
    }

    fn labels(&self, text: &str) -> String {
        let path = self.path("labels.csv");
        fs::write(&path, text).unwrap();
        format!("labels = {:?}", path.to_str().unwrap())
    }

    fn open(&self, settings: &str) -> Result<Box<dyn Dataset>> {
        let mut settings: Table = settings.parse().unwrap();
        settings.insert("path".into(), self.0.path().to_str().unwrap().into());
        Ok(open(&settings)?.0)
    }

    fn settings(&self, settings: &str) -> Table {
        let mut settings: Table = settings.parse().unwrap();
        settings.insert("path".into(), self.0.path().to_str().unwrap().into());
        open(&settings).unwrap().1
    }

    #[track_caller]
    fn refused(&self, settings: &str, parts: &[&str]) {
        assert_refused(self.open(settings), parts);
    }
}

#[test]
fn pictures_come_in_the_order_of_their_paths_and_others_are_left_alone() {
    let folder = Folder::new();
    folder.grey("b.png", 2, 102);
    folder.grey("a/z.PNG", 2, 51);
    folder.grey("c.jpg", 2, 255);
    for other in ["notes.txt", ".hidden.png"] {
        fs::write(folder.path(other), "no picture").unwrap();
    }
    let data = folder.open("").unwrap();
    assert_eq!((data.len(), data.shape().to_string()), (3, "1x2x2".into()));
    assert_eq!(data.shape().range, Range::Unit);
    let levels: Vec<f32> = (0..3).map(|index| row(&*data, index)[0]).collect();
    assert_eq!(levels, [0.2, 0.4, 1.0]);
    assert_eq!((data.factors().len(), data.label(0)), (0, None));
}

#[test]
fn pictures_are_turned_into_the_channels_and_the_size_asked_for() {
    let folder = Folder::new();
    RgbaImage::from_pixel(3, 5, Rgba([255, 0, 0, 51])).save(folder.path("a.png")).unwrap();
    RgbImage::from_pixel(4, 4, Rgb([0, 255, 0])).save(folder.path("b.png")).unwrap();
    let data = folder.open("size = 2").unwrap();
    assert_eq!(folder.settings("size = 2")["fit"].as_str(), Some("crop"));
    assert_eq!((data.shape().to_string(), data.shape().range), ("3x2x2".into(), Range::Binary));
    assert_eq!(row(&*data, 0)[..8], [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let clear = folder.open("size = 1\nchannels = 4").unwrap();
    assert_eq!(row(&*clear, 0), [1.0, 0.0, 0.0, 0.2]);
    let grey = folder.open("size = 2\nchannels = 1").unwrap();
    assert_eq!(grey.shape().to_string(), "1x2x2");
    folder.refused("", &["a.png has 3x5 pixels and b.png 4x4", "`data.size`"]);
    folder.refused("channels = 2", &["`data.channels` must be 1 (grey)"]);
}

#[test]
fn labels_are_numbers_or_words() {
    let folder = Folder::new();
    for name in ["a.png", "b.png", "sub/c.png", "sub/d.png"] {
        folder.grey(name, 2, 0);
    }
    let labels = folder.labels(
        "file,size,kind,count\n\
         sub/c.png, 0.25, plate, 7\n./a.png, 0.5, cup, 3\nb.png, 0.5, plate, 3\nsub/d.png,0.75,jug,3\n",
    );
    let data = folder.open(&labels).unwrap();
    let factors: Vec<_> = data.factors().iter().map(|f| (f.name.as_str(), f.size())).collect();
    assert_eq!(factors, [("size", None), ("kind", Some(3)), ("count", Some(2))]);
    assert_eq!(data.label(0), Some(vec![0.5, 0.0, 3.0]));
    assert_eq!(data.label(2), Some(vec![0.25, 2.0, 7.0]));
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    folder.grey("a.png", 2, 0);
    folder.grey("b.png", 2, 0);
    let refused = |text: &str, parts: &[&str]| folder.refused(&folder.labels(text), parts);
    refused("file,x\na.png,1\nb.png,1\nc.png,1\n", &["line 4 names `c.png`", "not in the folder"]);
    refused("file,x\na.png,1\na.png,1\n", &["line 3 names `a.png` a second time"]);
    refused("file,x\na.png,1\nb.png,two\n", &["line 3 has `two`, which is no number"]);
    refused("file,x\na.png,1\nb.png,inf\n", &["column `x` has inf in line 3"]);
    refused("file,x\na.png,\nb.png,\n", &["`x`, which has no values"]);
    refused("file,x\na.png,1\nb.png,1,2\n", &["line 3 has 3 cells and the first line 2"]);
    refused("file\na.png\nb.png\n", &["has no factors"]);
    refused("file,x,x\na.png,1,1\nb.png,1,1\n", &["column `x` twice"]);
    refused("file,\na.png,1\nb.png,1\n", &["a column without a name"]);
    refused("", &["holds no rows"]);
    folder.refused("labels = 'nowhere.csv'", &["cannot read nowhere.csv"]);
}

#[test]
fn folders_without_readable_pictures_are_refused() {
    let error = open(&Table::new()).err().unwrap().to_string();
    assert!(error.contains("`data.path` is missing"), "{error}");
    let error = open(&"path = 'nowhere'".parse().unwrap()).err().unwrap().to_string();
    assert!(error.contains("cannot read nowhere"), "{error}");

    let folder = Folder::new();
    folder.refused("", &["holds no .png"]);
    folder.grey("a.png", 2, 0);
    let file = format!("path = {:?}", folder.path("a.png").to_str().unwrap());
    let error = open(&file.parse().unwrap()).err().unwrap().to_string();
    assert!(error.contains("is no folder"), "{error}");

    let whole = fs::read(folder.path("a.png")).unwrap();
    fs::write(folder.path("b.png"), &whole[..whole.len() / 2]).unwrap();
    folder.refused("", &["b.png", "is it truncated?"]);
    fs::write(folder.path("b.png"), "text").unwrap();
    folder.refused("", &["b.png", "cannot be decoded"]);
}

#[test]
fn pictures_without_a_label_are_learned_from_and_counted() {
    let folder = Folder::new();
    for name in ["a.png", "b.png", "c.png"] {
        folder.grey(name, 2, 0);
    }
    let labels = folder.labels("kind;file;x\ncup;b.png;1,5\njug;c.png;\n");
    let data = folder.open(&labels).unwrap();
    assert_eq!((data.len(), data.unlabelled()), (3, 2));
    let labels: Vec<_> = (0..3).map(|row| data.label(row)).collect();
    assert_eq!(labels, [None, Some(vec![0.0, 1.5]), None]);
    assert!(data.about().remarks[0].starts_with("2 of 3 rows have no value"));
}

#[test]
fn folders_and_names_of_files_are_labels() {
    let folder = Folder::new();
    for name in ["cup/s1_left.png", "cup/s2_right.png", "jug/s1_left.png"] {
        folder.grey(name, 2, 0);
    }
    let classes = folder.open("labels = 'folders'").unwrap();
    assert_eq!(
        (classes.factors()[0].name.as_str(), classes.factors()[0].size()),
        ("class", Some(2))
    );
    assert_eq!(classes.label(2), Some(vec![1.0]));
    let named = folder.open("pattern = 's{subject}_{pose}'").unwrap();
    assert_eq!(named.label(1), Some(vec![2.0, 1.0]));
    folder.grey("odd.png", 2, 0);
    assert_eq!(folder.open("pattern = 's{subject}_{pose}'").unwrap().unlabelled(), 1);
    folder.refused("pattern = '{a}-{b}'", &["fits no picture; the first is cup/s1_left.png"]);
    folder.refused("pattern = '*'", &["names no factor"]);
    folder.refused("pattern = '{a}_*'\nlabels = 'folders'", &["leave one out"]);
    let flat = Folder::new();
    flat.grey("a.png", 2, 0);
    flat.refused("labels = 'folders'", &["has no folders within it"]);
}

#[test]
fn proportions_are_kept_unless_asked() {
    let folder = Folder::new();
    // White on the left half, four times as wide as high.
    let half = GrayImage::from_fn(16, 4, |x, _| Luma([if x < 8 { 255 } else { 0 }]));
    half.save(folder.path("a.png")).unwrap();
    let corners = |settings: &str| {
        let row = row(&*folder.open(settings).unwrap(), 0);
        [row[0], row[3], row[8], row[11]].map(f32::round)
    };
    assert_eq!(corners("size = 4"), [1.0, 0.0, 1.0, 0.0]);
    assert_eq!(corners("size = 4\nfit = 'stretch'"), [1.0, 0.0, 1.0, 0.0]);
    assert_eq!(corners("size = 4\nfit = 'pad'"), [0.0; 4]);
    let narrow = GrayImage::from_fn(4, 16, |_, y| Luma([if y < 4 { 255 } else { 0 }]));
    narrow.save(folder.path("a.png")).unwrap();
    // The white end is cut off.
    assert_eq!(corners("size = 4"), [0.0; 4]);
    assert_eq!(corners("size = 4\nfit = 'stretch'"), [1.0, 1.0, 0.0, 0.0]);
    folder.refused("size = 4\nfit = 'cut'", &["known: crop, pad, stretch"]);
}

#[test]
fn other_files_are_read_or_counted_and_what_is_corrupt_is_skipped_if_asked() {
    let folder = Folder::new();
    folder.grey("a.png", 2, 0);
    RgbImage::from_pixel(2, 2, Rgb([255; 3])).save(folder.path("b.gif")).unwrap();
    folder.grey("c.webp", 2, 255);
    for other in ["d.tif", "e.tif", "notes.txt"] {
        fs::write(folder.path(other), "other").unwrap();
    }
    let data = folder.open("").unwrap();
    assert_eq!(data.len(), 3);
    assert_eq!(data.about().remarks, ["3 files of the folder are not read: 2 .tif, 1 .txt"]);
    // As before there were more endings.
    assert_eq!(folder.open("endings = ['png', 'jpg', 'jpeg']").unwrap().len(), 1);
    folder.refused("endings = ['tif']", &["which is not read (known: png"]);

    fs::write(folder.path("a.png"), "no picture").unwrap();
    folder.refused("", &["a.png", "cannot be decoded"]);
    let labels = folder.labels("file,x\na.png,1\nb.gif,2\nc.webp,3\nd.tif,4\n");
    let data = folder.open(&format!("corrupt = 'skip'\n{labels}")).unwrap();
    assert_eq!((data.len(), data.label(0)), (2, Some(vec![2.0])));
    let said = &data.about().remarks[1];
    assert_eq!(said, "1 of 3 pictures cannot be read and are skipped: a.png");
    fs::remove_file(folder.path("a.png")).unwrap();
    for name in ["b.gif", "c.webp"] {
        fs::remove_file(folder.path(name)).unwrap();
    }
    folder.refused("", &["there are 1 .csv, 2 .tif, 1 .txt"]);
}
