//! What `unbraid show causal-vae` prints.

pub(super) const PAGE: &str = "\
## What it is
A VAE whose latents are the labelled concepts of the data, such as the angle of a pendulum and the length
of its shadow, in a structural causal model (SCM) with graph A (row = cause):

    z = A' z + eps          a linear SCM: causes, plus exogenous noise
    z^_i = g_i(A_i o z) + eps_i   the mask layer: a network g_i for each concept
    x = f(z^)

The encoder sees image and labels and gives q(eps|x, u). The loss is the negative ELBO, with a standard
normal prior on eps and a conditional prior N(label, spread^2) on each concept, plus three penalties:

    alpha h(A) + beta E||u - sigmoid(A' u)||^2 + gamma E sum_i ||z_i - g_i(A_i o z)||^2

h(A) is 0 if and only if A is acyclic. After training, `unbraid graph RUN` shows the graph, and
`unbraid intervene RUN --do light=80` decodes the counterfactual.

## Settings
variant (paper, or released: what the released code computes), dimensions per concept (0 = 1, or 4 for
released), labels (whether the encoder sees them: yes, no, auto), reconstruction (weight of the
reconstruction loss summed over an image; 0 = 1 / (channels x height) as in the released code, 1 = the
ELBO, with which latents mix concepts), spread (0.1: standard deviation of the conditional prior, for
labels in -1..1; not in the released variant), alpha, beta, gamma (1), scaling (centre and scale of each
label; from the data if left out).

graph, the source of the edges:
- independence: conditional independence tests on the labels find and orient the edges before training;
  only their weights are learned
- lagrangian: the paper's augmented Lagrangian search on the labels, from zero, then the paper's losses
- zero: the paper's losses alone, from zero
- given: edges = [[0, 2], [1, 2]], cause and effect by the number of the label
- released: the initial graph of the released code, which is nearly the true graph of the pendulum

acyclicity (polynomial or exponential). net (conv, conv4, burgess, factor, fc, auto, or paper: the dense
networks of the released code, with 186 million weights for 96x96 images, which train at a
train.learning_rate of 3e-5 and diverge at 5e-4), width, likelihood, noise.

## What to expect
Latents follow their labels, since the encoder sees them, so MIC near 1 says little; set labels = \"no\"
to encode images alone. Effects of interventions are roughly right: in a linear SCM eps absorbs what is
nonlinear in a mechanism, and an intervention keeps eps. Also, the decoder may render an effect from its
causes, such as the shadow from the angle of the light. See `structural-vae`.

## Cautions
Labels must be numbers; a constant label is refused. An intervention maps a label to a latent by linear
regression, so values outside the range of the data are extrapolated.";
