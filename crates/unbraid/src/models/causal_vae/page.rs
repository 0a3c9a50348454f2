//! What `unbraid show causal-vae` prints.

pub(super) const PAGE: &str = "\
## What it is
A VAE whose codes are the labelled concepts of the data, such as the angle of a pendulum and the length
of its shadow, joined by a causal graph A (row = cause):

    z = A' z + eps          each concept from its causes, and from a noise of its own
    z^_i = g_i(A_i o z) + eps_i   the same with a network for each concept: the mask layer
    x = f(z^)

The encoder sees image and labels and gives eps. The loss is the evidence bound, with a standard normal
prior of eps and a prior N(label, spread^2) of each concept, and three penalties:

    alpha h(A) + beta E||u - sigmoid(A' u)||^2 + gamma E sum_i ||z_i - g_i(A_i o z)||^2

h is 0 where A has no cycle. Then `unbraid graph RUN` shows the graph and `unbraid intervene RUN --do
light=80` what the image would be.

## Settings
variant (paper, or released for what the released code computes), dimensions of a concept (0 = 1, or 4
for released), labels (whether the encoder sees them: yes, no, auto), reconstruction (the weight of the
error summed over an image; 0 = the released code's 1 / (channels x height), 1 = the evidence bound, with
which codes mix concepts), spread (0.1, where labels go from -1 to 1: how far codes may be from labels; not
in the released variant), alpha, beta, gamma (1), scaling (centre and scale of each label; from the data if
left out).

graph, where the edges come from:
- independence: tests of the labels find and direct the edges before training; only weights learn
- lagrangian: the paper's own search on the labels, from zero, then the paper's losses
- zero: nothing but the paper's losses
- given: edges = [[0, 2], [1, 2]], cause and effect by the number of the label
- released: what the released code starts from, which is nearly the true graph of the pendulum

acyclicity (polynomial or exponential). net (conv, conv4, burgess, factor, fc, auto, or paper: the dense
networks of the released code, with 186 million weights for 96x96 images, which learn at a train.rate of
3e-5 and break at 5e-4), width, likelihood, noise.

## What to expect
Codes that follow their labels, since the encoder sees them: MIC near 1 says little then; set labels =
\"no\" for codes of images alone. Effects of an intervention are roughly right: the noise eps of a linear
model holds what is nonlinear in the mechanism, and an intervention keeps it. And what is drawn where is
left to the decoder, so that a shadow may be drawn from the angle of the light. See `structural-vae`.

## Cautions
Labels are numbers; a constant one is refused. An intervention uses the line of codes over labels, so
that values outside of the data are guesses.";
