//! The data sets, a file each. What they share lies beside this folder: `storage/` for those that are
//! read from files, `drawing/` for those that are drawn, `simulation/` for those that go on in time.

pub mod abstract_dsprites;
pub mod arrays;
pub mod ball_in_boxes;
pub mod binarized_mnist;
pub mod cars3d;
pub mod celeba;
pub mod citris;
pub mod color_dsprites;
mod columns;
pub mod dsprites;
pub mod fashion_mnist;
pub mod flow;
pub mod images;
pub mod mixing;
pub mod mnist;
pub mod mpi3d;
pub mod noisy_dsprites;
pub mod omniglot;
pub mod pendulum;
pub mod pong;
pub mod scream_dsprites;
pub mod shapes3d;
pub mod smallnorb;
pub mod sprites;
pub mod squares;
pub mod table;
pub mod voronoi;
pub mod xy_object;
pub mod xy_squares;
