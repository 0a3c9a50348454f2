//! The sheets as published: file by file, with the names that Git gives to their contents.

use crate::data::storage::library::{Checksum, PublishedFile};

/// One sheet; it lies at the commit that disent, and so CT-VAE, took it from.
macro_rules! sheet {
    ($name:literal, $bytes:literal, $blob:literal) => {
        PublishedFile {
            name: $name,
            bytes: $bytes,
            checksum: Checksum::GitBlob($blob),
            address: concat!(
                "https://raw.githubusercontent.com/YingzhenLi/Sprites/",
                "3ce4048c5227802bd8f1888e293fd3afdba91c0c/",
                $name
            ),
        }
    };
}

/// In the order of the factors they are the values of.
pub(super) const FILES: [PublishedFile; 39] = [
    sheet!("bottomwear/0.png", 7581, "09803294aba85000dc6164b8523399d8c26b478c"),
    sheet!("bottomwear/1.png", 8304, "a8ed9e9f43d38cb7db08fef65d7c300797c36fb4"),
    sheet!("bottomwear/2.png", 7585, "6af6fe94e5aa36ddf7a23a07a2acd3e7d1d2de08"),
    sheet!("bottomwear/3.png", 8227, "ff029ba9e558ea251d3cedf9bae1e9152fcce35f"),
    sheet!("bottomwear/4.png", 8322, "abb37d20f475c4c981c47161580b80d84b834dc8"),
    sheet!("bottomwear/5.png", 5375, "dab51c5e9a890670b2b6b12cdff139f705a362fd"),
    sheet!("bottomwear/6.png", 9132, "3d183b782019975a2c2cd1d2d54efdf85e3db4c3"),
    sheet!("topwear/0.png", 15_643, "6886594b1e59ad5a6091e7572eed77ef505b4659"),
    sheet!("topwear/1.png", 15_643, "eb10d55aa1048a56aad97cd1da42f653527530ca"),
    sheet!("topwear/2.png", 15_643, "a1e12a69bdce4ff39babe7c3f4e6c1348a40892a"),
    sheet!("topwear/3.png", 10_561, "08488626cd71756a19a906bac7e582358fc3a017"),
    sheet!("topwear/4.png", 10_940, "7f7eb7ee99224be4486ecdb3902d7a6c77bbd26b"),
    sheet!("topwear/5.png", 25_293, "f35315ab59a80886bd32828308317049d1a50c31"),
    sheet!("topwear/6.png", 30_053, "ef1871387b47889ca3eab29ab8d06b6cb3d44d16"),
    sheet!("hair/0.png", 8049, "28fa533ce595502313ab13b8725f876ce40b4bc6"),
    sheet!("hair/1.png", 8751, "1f4b10615ca25950c01c197243af88148fc45c06"),
    sheet!("hair/2.png", 8360, "83c87eb0982b6078f96d43bd82d4b6baa31b35ec"),
    sheet!("hair/3.png", 8337, "ebf142000c97436c7a7429092ace589f54e49fdf"),
    sheet!("hair/4.png", 7363, "0000feb251b9f7f1933c61966b59928a64bcce86"),
    sheet!("hair/5.png", 8236, "0d92357df3761d00e766d6ac6ced660f9485ffb4"),
    sheet!("hair/6.png", 4494, "fdc8dfdd8770bbbada9b24103835bae8795d74a5"),
    sheet!("hair/7.png", 7363, "34b1000490159c43081cf99ad7866ac9ad7be50c"),
    sheet!("hair/8.png", 8049, "0f4de7cc5a7f4c4312fe9f1e73ac34fee87ae5a3"),
    sheet!("hair/9.png", 8236, "abab8fdc59151b99e269708c25b6a11dbc7ce1fe"),
    sheet!("eyes/0.png", 1225, "52c56b95ff9d3f75d68051d1ebb4f2bd78bec226"),
    sheet!("eyes/1.png", 926, "858695a8b24e6248c0003a0703620312423a5a91"),
    sheet!("eyes/2.png", 1225, "03438e6227de506a7bdae418b66083cf5176aecc"),
    sheet!("eyes/3.png", 1225, "ea08291589937c7a1df094ee4d9745973987d8b1"),
    sheet!("eyes/4.png", 1272, "32b5d02d4e1a3c003b0fced831e2634171df0dc5"),
    sheet!("shoes/0.png", 6334, "2940f1f5785aca54daa61f3e7469ebf192a3af26"),
    sheet!("shoes/1.png", 5504, "81130a1e9671cf9558e91b6ee540cf23fb52bb90"),
    sheet!("shoes/2.png", 5579, "75194448c558cea0eca2cb75c01abdbdb7bdb3a4"),
    sheet!("body/0.png", 33_734, "e79c176ce2710ad9e02023671f96d51d68163692"),
    sheet!("body/1.png", 32_036, "d37d3c5121d9822b24a4fb826a979a4b27e2b81d"),
    sheet!("body/2.png", 33_247, "58de712bc3a82112cc90dcd3227765cb72485459"),
    sheet!("body/3.png", 33_232, "b0a0c1a8c324ff8aae1b8de66bae31b165a85f0b"),
    sheet!("body/4.png", 33_226, "26d3f0930197795d868880976db6276eb15c98c9"),
    sheet!("body/5.png", 31_114, "bf1d51bff74edf448f2044c5914bbfe1367933d7"),
    sheet!("body/6.png", 54_495, "9d151041b333b588ed94c51f1e412344383316db"),
];
