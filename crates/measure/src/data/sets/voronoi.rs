//! `voronoi`: tiles whose colours mix variables that cause each other over time, as in CITRIS and
//! BISCUIT. Nothing is stored: graphs, mechanisms, mixing and tiles are drawn from the seed.

use toml::Table;

use crate::data::simulation::Simulated;
use crate::data::{Opened, Source};
use crate::error::Result;
use crate::info::Info;
use crate::settings;

mod choices;
mod graphs;
mod interventions;
mod mechanisms;
mod mixing;
mod network;
mod system;
mod tiles;

use choices::Settings;
use system::System;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "voronoi",
        title: "Voronoi",
        summary: "tiles whose colours mix variables with causes over time; a robot intervenes; 32x32",
        paper: "Lippe et al., CITRIS, ICML 2022; Lippe et al., BISCUIT, UAI 2023",
        page: "\
A picture of tiles (a Voronoi diagram), 3x32x32, drawn on the fly. Behind it is a random system of
variables that cause each other from frame to frame; an invertible random map mixes all of them,
and each of the mixed numbers is the hue of one tile. No tile shows a variable: they have to be
found by what is intervened on. Every seed is another system: other tiles, graphs, mechanisms and
mixing.

| factor         | values         | meaning                                                      |
| -------------- | -------------- | ------------------------------------------------------------ |
| c0, c1, ... c5 | -2.75 to 2.75  | the causal variables, not the hues; most are within 2        |

A variable is u = mean(its causes) + noise, value = 7 pi/8 tanh(u/2), with a random network for the
mean. An intervention replaces u by a draw that depends on nothing.

| what differs           | biscuit                            | citris                             |
| ---------------------- | ---------------------------------- | ---------------------------------- |
| noise of u, own        | 0.4                                | 0.3                                |
| noise, intervened      | 0.4: only the mean is set to 0     | 0.75                               |
| spread of u            | pulled to mean 0 and deviation 1;  | as the networks have it            |
|                        | dull networks are drawn again      |                                    |
| causes within a frame  | none                               | with probability 0.5 per edge      |
| causes over time       | with probability 0.4 per edge      | 0.25                               |
| mixing                 | moves and stretches                | moves only, and less               |
| interventions          | by a robot                         | by chance                          |

Settings:
- version: \"biscuit\" (default) or \"citris\".
- variables: how many variables and tiles, 3 to 16; 6 and 9 are the published sizes.
- interventions, biscuit: \"random\" (default), a robot put anywhere in the picture or up to 8
  pixels outside, a disc of radius 2 that intervenes on every variable whose tile it touches;
  nothing is touched in 43.75 % of steps. Or \"minimal\": the picture is divided once more, into
  floor(log2 variables) + 1 places, and at place e those variables are intervened on whose number,
  counted from 1, has the binary digit e; nobody in 55.6 % of steps.
- interventions, citris: \"independent\" (default), each variable in 15 % of steps; \"single\", one
  of them, or none as often as two together; \"grouped\", in 15 % of steps a group by binary digit.
- temporal, instant: the probability of an edge from frame to frame, and within a frame; \"auto\"
  is that of the version. Every variable has a cause over time unless temporal is 0.
- observations: \"images\" (default), or \"vectors\": the mixed numbers themselves, before they
  become hues, for a quick test of a method.
- part: \"train\" (default), \"val\", \"test\"; \"val_indep\" and \"test_indep\", frames with every
  variable drawn by itself; \"val_triplets\" and \"test_triplets\", rows in threes, of which the
  third has some variables of the first and the others of the second.
- frames: the length of train, 150,000 by default; val, test and triplets have a tenth of it, the
  independent parts a quarter.
- seed: 42 by default, of the system and of the sequences. Parts of one seed share their system.

Steps tell who was intervened on and, in biscuit's version, the action: the place x, y of the
robot in the step to the next frame, from -1 to 1, as BISCUIT's loader gives it, y up; the picture
is -2/3 to 2/3. The graph over time is known; so is that within a frame, where it has edges.

Good to know:
- Opening calibrates the networks of the system, in every part anew, as all of it follows from the
  seed.
- The robot feels for tiles at its centre and at eight of seventeen angles, 0 to 148 degrees only:
  so does the published one. A tile that only its lower half reaches is left alone.
- A variable need not be among its own causes.
- Tiles at the rim are closed 64 pixels outside, as published; now and then that leaves a white
  corner.
- unbraid data make voronoi --out FILE.npz writes the published arrays, actions as shares of the
  side of the picture.

How it was checked: by the published rules, not against published files, none of which was at hand:
the shares of steps without interventions, the spread and entropy of the variables, intervened
values independent of the frame before, the mixing inverted to 0.00001, weights of tiles in every
pixel. Numbers are drawn by another generator than theirs, so that seed 42 is not their seed 42.

Cite: Lippe, Magliacane, Löwe, Asano, Cohen, Gavves, CITRIS: Causal Identifiability from Temporal
Intervened Sequences, ICML 2022; and BISCUIT: Causal Representation Learning from Binary
Interactions, UAI 2023.",
    },
    open,
    publication: None,
};

fn open(given: &Table) -> Result<Opened> {
    let settings = settings::parse::<Settings>("data", given)?.resolved()?;
    settings.recording.check()?;
    let data = Simulated::record(System::draw(&settings)?, &settings.recording)?;
    Ok((Box::new(data), settings::to_table(&settings)))
}

#[cfg(test)]
mod tests;
