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
    refused("file,x\na.png,1\n", &["no row for `b.png`", "1 of 2"]);
    refused("file,x\na.png,1\nb.png,1\nc.png,1\n", &["line 4 names `c.png`", "not in the folder"]);
    refused("file,x\na.png,1\na.png,1\n", &["line 3 names `a.png` a second time"]);
    refused("file,x\na.png,1\nb.png,\n", &["line 3, column `x`", "is empty"]);
    refused("file,x\na.png,1\nb.png,n/a\n", &["line 3, column `x`: `n/a` is no number"]);
    refused("file,x\na.png,1\nb.png,inf\n", &["`inf` is no finite number"]);
    refused("file,x\na.png,1\nb.png,1,2\n", &["no readable CSV", "line: 3"]);
    refused("file\na.png\nb.png\n", &["has no factors"]);
    refused("file,x,x\na.png,1,1\nb.png,1,1\n", &["column `x` twice"]);
    refused("file,\na.png,1\nb.png,1\n", &["a column without a name"]);
    refused("", &["has no factors"]);
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
