"""Whether a changed program gives the same results as before, byte for byte.

    python3 bench/same_results.py record --program target/release/unbraid --out /tmp/a
    python3 bench/same_results.py record --program CHANGED --out /tmp/b
    python3 bench/same_results.py compare /tmp/a /tmp/b [--renamed OLD=NEW]...
    python3 bench/same_results.py record --program CHANGED --out /tmp/c --old /tmp/a

`record` trains every model and many variants (kept as they are in OUT/runs), scores a copy of each, asks every
command of some of them, and keeps what was printed and written: weights, logs and checkpoints in OUT/bytes.json,
all else in OUT/results.json. OUT/interrupted has runs that were stopped half way, and OUT/uninterrupted their
twins. With `--old` nothing is trained: the runs of an older program are scored, asked and resumed, and must give
what the older program gave. Not recorded: tb/ (times), and `bench`, `demo`, `reproduce NAME` and `data fetch`,
which measure time, take minutes or download.
"""

import argparse
import base64
import difflib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from itertools import product
from pathlib import Path

# Miniatures of published files, and the data sets they are of.
FIXTURES = Path(__file__).resolve().parent.parent / "crates/measure/tests/formats"
IMPORTS = {"celeba": "celeb_a", "cars3d": "cars", "smallnorb": "smallnorb", "shapes3d": "shapes3d/3dshapes.h5",
           "dsprites": "dsprites/chunked.hdf5", "binarized-mnist": "binarized_mnist"}

COMMON = "train.threads=2 train.batch=32 train.log_every=10 train.checkpoint_every=25 score.rows=400"
# Set where a model has such a key, so that it takes a second.
QUICK = {"latents": 4, "imitation": 10, "critic_width": 64, "widths": [32, 16], "flows": 2, "starts": 2,
         "steps": 50, "refinement": 20, "width": 32}
LARGE = "train.steps=6 train.batch=8 train.log_every=1 train.checkpoint_every=3 score.rows=50 data.name="
DATA = {
    "squares": "data.name=squares",
    "pendulum": "data.name=pendulum data.variant={size=16,keep={pendulum='-4..4'}}",
    "flow": "data.name=flow data.variant={size=16,keep={hole='8..10'}}",
    "mixing": "data.name=mixing data.sources=4 data.segments=8 data.points=50",
    "dsprites": LARGE + "dsprites", "noisy-dsprites": LARGE + "noisy-dsprites", "shapes3d": LARGE + "shapes3d",
}
# Every model learns from these data with its defaults, and then from more, with other settings.
MODEL_DATA = {"labels": "pendulum", "ivae": "mixing", "tcl": "mixing", "segment-flow": "mixing"}
VARIANTS = """
vae squares: model.likelihood=gaussian model.noise=0.5 | train.binarize=true | model.net=fc | model.label_weight=1
vae squares: model.label_weight=1 model.label_loss=squares train.labelled=20 | model.label_weight=1 model.label_loss=covariance
vae dsprites,shapes3d: model.net=conv | model.net=conv4 model.likelihood=gaussian | model.net=burgess | model.net=factor
vae,hierarchical-vae,ladder-vae,info-gan,truth mixing: data.noisy=0.1
beta-vae squares: model.beta={schedule='cyclic',from=0,to=4,period=20} | train.rate={schedule='step',from=1e-3,factor=0.5,every=9}
beta-vae squares: model.beta={schedule='linear',from=0,to=4,start=9,steps=9} | train.rate={schedule='cosine',from=1e-3,to=0,steps=50}
annealed-vae squares: model.gamma=20 model.likelihood=gaussian
factor-vae squares: model.critic_depth=2 model.gamma=5 train.binarize=true
beta-tc-vae squares: model.estimator=stratified model.alpha=0.5 model.gamma=2
dip-vae-i,dip-vae-ii squares: model.off_diagonal=2 model.diagonal=3
hierarchical-vae,ladder-vae squares: model.batch_norm=false train.binarize=true model.codes=1 | model.likelihood=gaussian model.beta=1
ladder-vae squares: model.share=false model.up=means model.kl=drawn
info-gan,beta-tc-vae noisy-dsprites: train.rate=1e-3
ada-gvae,ada-ml-vae squares: train.changed=2 model.difference=symmetric
ada-gvae,ada-ml-vae,gvae,ml-vae squares: train.changed=0 | train.changed=0 train.pairs=released
dc-ign squares: train.ordinary=3 | train.ordinary=0 model.likelihood=gaussian
ivae mixing: model.start=random model.activation=xtanh model.objective=weighted | data.discrete=true data.observed=20
ivae mixing: model.start=truth model.activation=lrelu model.objective=annealed | model.prior_means=true model.activation=tanh
ivae pendulum: data.variant.size=8
tcl mixing: data.generator=tcl data.layers=1 data.factors=size model.layers=1
segment-flow mixing: data.generator=tcl model.prior=laplace model.layers=2
supervised flow: model.net=fc
condition-vae pendulum: model.labels=no model.dimensions=2
causal-vae pendulum: model.graph=lagrangian model.acyclicity=exponential | model.graph=zero model.labels=no
causal-vae pendulum: model.variant=released model.graph=released | model.net=paper train.rate=3e-5 model.dimensions=2
causal-vae,structural-vae pendulum: model.graph=given model.edges=[[0,2],[1,2]]
causal-vae,structural-vae,condition-vae flow: model.likelihood=gaussian
causal-vae-unsup pendulum: model.acyclicity=exponential model.alpha=3
structural-vae pendulum: model.parts=no model.spread=0.1
pca,ica mixing: data.layers=1 model.latents=3
"""
NAMED = {
    "vae-held-out": f"vae {DATA['mixing']} score.held_out={{fresh=true}} score.bound=10 score.bound_rows=50",
    "structural-vae-held-out": f"structural-vae {DATA['pendulum']} data.split=train score.held_out={{split='test'}} "
                               "score.metrics=['mic','tic','mcc','shd'] score.sampled=['mcc']",
    "pca-arrays": "pca data.name=made/arrays.npz",
}
# Stopped and resumed: one optimiser, several players, an average, normalised nets, a found graph.
STOPPED = ["beta-vae", "factor-vae", "info-gan", "ladder-vae", "tcl", "causal-vae"]

# Asked of every run.
ALL = "score RUN | evaluate RUN --bound 5 --rows 20 | traverse RUN | graph RUN | intervene RUN --grid"
# Every command is asked of each of these; what does not apply is refused, and the refusal recorded.
ASKED = ["vae", "causal-vae", "structural-vae-held-out", "ladder-vae", "pca", "ivae", "vae-held-out"]
COMMANDS = """
traverse RUN | traverse RUN --range prior --row 7 --out RUN/prior.png | traverse RUN --range min-max --out RUN/min-max.png
graph RUN | intervene RUN --do light=80 --row 7 | intervene RUN --do light=80 --do pendulum=20 --out RUN/both.png
intervene RUN --grid --out RUN/grid.png | evaluate RUN --bound 20 --rows 30 | encode RUN | encode RUN --rows 50 --out RUN/50.npz
encode RUN --data squares --set variant.keep={side=4} --out RUN/other.npz | score RUN --metrics mig,mcc --sampled mig,mcc
score RUN --metrics mig,dci,sap --seed 3 --bins 10 --train-rows 100 --test-rows 50 | score RUN --metrics all
score RUN --metrics mig,mcc,sap --bootstrap 5 | report RUN | rotate RUN --metrics mig,mcc | score RUN-rotated --metrics mig
traverse RUN-rotated --out RUN-rotated/walk.png | train --resume --out RUN | train --resume --out RUN --set train.steps=60
"""
# As text in place of JSON.
SAID = """
score RUN | graph RUN | intervene RUN --do light=80 --row 7 | evaluate RUN --bound 5 --rows 20
rotate RUN --out RUN-turned | traverse RUN | report RUN | train --resume --out RUN
"""
OTHERS = """
list | reproduce | show vae | completions bash | train --model vae --data squares --set train.threads=2 --dry-run
train --model causal-vae --data flow --set train.threads=2 --dry-run | train ladder.toml --dry-run
study plan study.toml --out made/study | study status made/study | study work made/study | study gather made/study
study plan study.toml --out made/study | study status made/study | study gather made
data make pendulum --rows 20 --set variant={size=32} --set split=test --set labels=file-name --out made/shadow.npz
data make mixing --set segments=4 --set points=60 --set generator=tcl --out made/mixing.npz
data info mixing --set path="made/mixing.npz" | data info made/table.csv | data info made/images --set size=16
data preview made/images --set size=16 --out made/folder.png | data preview dsprites --seed 4 --set variant.size=32 --out made/small.png
data info squares --set variant.hide=['side'] --set variant.part=test | data info squares --set variant.keep={sise=4}
encode scored/structural-vae --data flow --set variant.size=16 --rows 30 --out made/flow-codes.npz
score --codes scored/vae/codes.npz | score --graph made/graph.csv --true-graph made/true.csv --metrics shd
score --codes scored/vae/codes.npz:codes --factors scored/vae/codes.npz:values --blocks 0,1,-,2 --metrics dci,irs,alignment
score --codes scored/vae/representation.npz scored/beta-vae/representation.npz scored/untrained/representation.npz --kl made/kl.csv --metrics udr,udr-spearman
train --model betavae --data squares --out made/x | train --model vae --data squares | train --model vae --data nothing --out made/x
train --model vae --data squares --set model.bta=8 --out made/x | train --model gvae --data mixing --out made/x
train --model tcl --data pendulum --out made/x | train --model pca --data squares --out runs/pca | train --resume --out nowhere
train --model causal-vae --data pendulum --set model.graph=given --set model.edges=[[0,1],[1,0]] --out made/x
score nowhere | score scored/vae --metrics nothing | report nowhere | show nothing | list nothing | data import mnist --from nowhere
data fetch squares | intervene scored/causal-vae | intervene scored/causal-vae --do ligth=80 | traverse scored/vae --row 99999
traverse scored/vae --range wide | nothing | --help | train --help | score --help | intervene --help | study --help | data --help
"""
INPUTS = {
    "ladder.toml": "seed = 3\ndata.name = 'squares'\nmodel.name = 'ladder-vae'\ntrain.threads = 2\n",
    "study.toml": "data.name = 'squares'\ntrain = { steps = 6, batch = 16, threads = 1, log_every = 1 }\n"
                  "score = { metrics = ['mig', 'mcc'], sampled = ['mig'], rows = 200 }\nvary.seed = [0, 1]\n"
                  "[[rows]]\nname = 'VAE'\nmodel = { name = 'vae', latents = 3, net = 'fc', width = 8 }\n"
                  "[[rows]]\nname = 'PCA'\nmodel = { name = 'pca', latents = 3 }\n",
    "made/table.csv": "a,b,c\n" + "".join(f"{k % 7},{k * k % 11},{k % 3}\n" for k in range(60)),
    "made/kl.csv": "a,b,c,d\n1,2,3,0\n2,2,1,1\n0.5,0,2,1\n",
    "made/graph.csv": "a,b,c\n0,1,1\n0,0,0\n0,0,0\n",
    "made/true.csv": "a,b,c\n0,1,0\n0,0,1\n0,0,0\n",
}

# What two recordings of one program differ in: its version, times, memory, and how large files with those are.
UNEQUAL = [
    (r"\b\d+\.\d+\.\d+ \((?:[0-9a-f]{7,40}|unknown)\)", "$VERSION"),
    (r"Trained by unbraid \$VERSION, reported by \$VERSION", "Trained and reported by unbraid $VERSION"),
    (r'("(?:seconds|peak_rss_mb)":\s*)(?:[-+.\de]+|{[^}]*})', r"\1$TIME"),
    (r",seconds,.*", ",seconds,$TIME"),
    (r"(?m)^step (\d+)/(?!\1 ).*\n", ""),  # said every ten seconds
    (r"[\d.]+/s  \d+ s left", "$TIME"),
    (r"(<code>(?:run\.toml|README\.md|scores\.json|tb/)</code></td><td>[^<]*</td><td[^>]*>)[^<]+", r"\1$SIZE"),
]
BYTES = ("model.safetensors", "log.jsonl", "resume/checkpoint.safetensors")
TEXT = {".json", ".jsonl", ".toml", ".md", ".svg", ".html", ".csv", ".log", ".txt"}


def listed(commands, run=""):
    return [command.replace("RUN", f"scored/{run}")
            for line in commands.strip().splitlines() for command in line.split(" | ")]


def jobs(models):
    """Every training by its name: a model and its settings."""
    found = {}
    for model in models:
        data = MODEL_DATA.get(model["name"]) or MODEL_DATA.get(model["supervision"], "squares")
        found[model["name"]] = f"{model['name']} {DATA[data]}"
    for line in VARIANTS.strip().splitlines():
        (models, kinds), variants = line.split(": ")[0].split(), line.split(": ")[1].split(" | ")
        for model, data, settings in product(models.split(","), kinds.split(","), variants):
            name = re.sub(r"\W+", "-", f"{model} {data} " + re.sub(r"\b[a-z]+\.(?=[a-z])", "", settings))
            found[name.strip("-")] = f"{model} {DATA[data]} {settings}"
    return found | NAMED


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def tensors(data):
    """The metadata, then a line for each tensor; the state of the optimiser is such a file inside."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    lines = [f"metadata {header.pop('__metadata__', None)}"]
    for name, about in header.items():
        part = data[start + about["data_offsets"][0]:start + about["data_offsets"][1]]
        lines.append(f"{name} {about['dtype']} {about['shape']} {sha256(part)}")
        if name == "optimizer" and part:
            lines += [f"{name}: {line}" for line in tensors(part)["text"].splitlines()]
    hashes = {"header": sha256(data[8:start]), "data": sha256(data[start:])}
    return {"sha256": sha256(data), **hashes, "text": "\n".join(lines)}


class Recorder:
    def __init__(self, program, out, old):
        self.program, self.out, self.old = program, out, old
        self.items, self.known = {}, {}
        # No data of this machine, and the same number of threads on any.
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("UNBRAID")}
        self.environment |= {"UNBRAID_DATA_DIR": str(out / "data"), "RAYON_NUM_THREADS": "2", "NO_COLOR": "1"}

    def normal(self, text):
        for place in filter(None, [self.out, self.old]):
            text = text.replace(str(place), "$OUT")
        for pattern, word in UNEQUAL:
            text = re.sub(pattern, word, text)
        return text

    def content(self, path):
        """Text where there is some, so that a difference can be read; else a hash."""
        data = path.read_bytes()
        if path.suffix == ".safetensors":
            return tensors(data)
        if path.suffix == ".npz":
            with zipfile.ZipFile(path) as file:
                lines = [f"{name} {sha256(file.read(name))}" for name in file.namelist()]
            return {"sha256": sha256(data), "text": "\n".join(lines)}
        if path.suffix not in TEXT:
            return {"sha256": sha256(data)}
        text = self.normal(data.decode())
        if path.suffix in (".html", ".svg"):
            picture = re.compile(r"(data:image/[\w+]+;base64,)([\w+/=]+)")
            text = picture.sub(lambda found: found[1] + sha256(base64.b64decode(found[2])), text)
            text = text.replace("><", ">\n<")
        return {"text": text}

    def changed(self):
        """Files that were written since the last look."""
        found = []
        for directory, below, names in os.walk(self.out):
            below[:] = sorted(name for name in below if name not in ("tb", "fixtures"))
            for path in (os.path.join(directory, name) for name in sorted(names) if name != "lock"):
                about = os.stat(path)
                mark = (about.st_ino, about.st_mtime_ns, about.st_size)
                if self.known.get(path) != mark:
                    self.known[path] = mark
                    found.append(Path(path))
        return found

    def ask(self, words):
        command = [self.program, *words.split()]
        return subprocess.run(command, cwd=self.out, env=self.environment, capture_output=True, text=True)

    def run(self, words, run=False):
        """Record what a command prints and writes; files of a new `run` go by their name alone."""
        done = self.ask(words)
        name = f"$ {words}"
        while name in self.items:
            name += " (again)"
        text = f"{done.stdout}\n--- stderr\n{done.stderr}\n--- exit code {done.returncode}"
        self.items[name] = {"text": self.normal(text)}
        for path in self.changed():
            file = str(path.relative_to(self.out))
            self.items[file if run else f"{file} by {name}"] = self.content(path)
        return done.returncode == 0

    def copied(self, source, place):
        shutil.copytree(source, self.out / place)
        self.changed()
        return place

    def train(self, settings, out, more=""):
        """The command of a training, with what makes the model quick."""
        model, *sets = settings.split()
        words = f"train --model {model} --seed 1 --steps 50"
        plan = json.loads(self.ask(f"{words} {flags(sets)} --dry-run --json").stdout or "{}")
        keys = plan["config"]["model"] if plan else {}
        quick = [f"model.{key}={value}".replace(" ", "") for key, value in QUICK.items() if key in keys]
        quick += ["model.layers=[6,4]"] if isinstance(keys.get("layers"), list) else []
        return f"{words} {flags(COMMON.split() + quick + sets + more.split())} --out {out}"

    def trained(self, jobs):
        for name, settings in jobs.items():
            if not self.run(self.train(settings, f"runs/{name}") + " --json", run=True):
                print(f"{name} is not trained", file=sys.stderr)

    def stopped(self, jobs):
        more = "train.log_every=1 train.checkpoint_every=10 train.steps=120"
        for name, settings in jobs.items():
            place = self.out / "interrupted" / name
            words = self.train(settings, place, more) + " --quiet"
            code = None
            while code != 130:  # as long as it is too fast to be stopped
                shutil.rmtree(place, ignore_errors=True)
                child = subprocess.Popen([self.program, *words.split()], cwd=self.out, env=self.environment)
                while not (place / "resume/checkpoint.safetensors").exists() and child.poll() is None:
                    time.sleep(0.001)
                child.send_signal(signal.SIGINT)
                code = child.wait()
                if code not in (0, 130):
                    sys.exit(f"{name} cannot be stopped: it ends with {code}")
            self.changed()
            self.run(self.train(settings, f"uninterrupted/{name}", more) + " --json", run=True)

    def resumed(self):
        """A run that was stopped ends with the bytes of its twin."""
        source = self.old or self.out
        for run in sorted((source / "interrupted").iterdir()):
            place = self.copied(run, f"resumed/{run.name}")
            self.run(f"train --resume --out {place} --quiet", run=True)
            for file in BYTES:
                found = self.items[f"{place}/{file}"] = self.content(self.out / place / file)
                if not self.old and found != self.content(source / "uninterrupted" / run.name / file):
                    sys.exit(f"{place}/{file} is not that of its twin")

    def scored(self):
        """Copies of all runs, so that the runs stay as they were trained."""
        for run in sorted(((self.old or self.out) / "runs").iterdir()):
            self.copied(run, f"scored/{run.name}")
            for command in listed(ALL, run.name):
                self.run(f"{command} --json")

    def asked(self):
        for run in ASKED:
            for command in listed(COMMANDS, run):
                self.run(f"{command} --json")
            for command in listed(SAID, run):
                self.run(command)

    def data(self, names):
        self.run("data make squares --out made/arrays.npz --json")
        for name in names:
            if self.run(f"data info {name} --json"):
                self.run(f"data info {name}")
                self.run(f"data make {name} --rows 20 --out made/data-{name}.npz --json")
                self.run(f"data preview {name} --out made/images/{name}.png --json")

    def others(self, names):
        for name in names:
            self.run(f"show {name} --json")
        for command in listed(OTHERS):
            self.run(f"{command} --json")
        self.run("intervene scored/causal-vae --effects")
        if FIXTURES.is_dir():
            self.copied(FIXTURES, "fixtures")
            (self.out / "fixtures/cars/version4.mat").unlink()  # refused, and all of its folder with it
        for name, place in IMPORTS.items():
            self.run(f"data import {name} --from fixtures/{place} --unchecked --json")
            self.run(f"data info {name} --json")
            self.run(f"data make {name} --rows 2 --out made/imported-{name}.npz --json")


def flags(sets):
    return " ".join(f"--set {one}" for one in sets)


def record(options):
    out, old = options.out.resolve(), options.old and options.old.resolve()
    if out.exists():
        sys.exit(f"{out} is there already")
    (out / "made/images").mkdir(parents=True)
    for name, text in INPUTS.items():
        (out / name).write_text(text)
    this = Recorder(options.program.resolve(), out, old)
    this.changed()
    listed = json.loads(this.ask("list --json").stdout)
    names = {kind: [entry["name"] for entry in listed[kind]] for kind in ("models", "data", "metrics")}
    wanted = jobs(listed["models"])
    new = [lambda: this.data(names["data"]), lambda: this.trained(wanted),
           lambda: this.stopped({name: wanted[name] for name in STOPPED})]
    rest = [] if old else [lambda: this.others(sum(names.values(), []))]
    for step in [*([] if old else new), this.resumed, this.scored, this.asked, *rest]:
        start = time.time()
        step()
        print(f"{time.time() - start:.0f} s, {len(this.items)} items", file=sys.stderr)
    small = {name: item for name, item in this.items.items() if name.endswith(BYTES) and " by " not in name}
    large = {name: item for name, item in this.items.items() if name not in small}
    for name, items in ("bytes.json", small), ("results.json", large):
        (out / name).write_text(json.dumps(items, indent=1, sort_keys=True))
    return compare(old, out, options.renamed, partly=True) if old else 0


def loaded(directory):
    return {name: item for file in ("bytes.json", "results.json")
            for name, item in json.loads((directory / file).read_text()).items()}


def compare(first, second, renamed, partly=False):
    """Print what differs; `partly` if the second has not all that the first has."""

    def new(text):
        for pair in renamed:
            text = text.replace(*pair.split("=", 1))
        return text

    def same(name, a, b):
        if a == b or not (renamed and a and b and "text" in a and "text" in b):
            return a == b
        # Tensors stand in the order of their names, so new names may change the order.
        order = sorted if name.endswith(".safetensors") else list
        return order(new(a["text"]).splitlines()) == order(b["text"].splitlines())

    a, b = {new(name): item for name, item in loaded(first).items()}, loaded(second)
    names = sorted(b if partly else a.keys() | b.keys())
    unequal = [name for name in names if not same(name, a.get(name), b.get(name))]
    for name in unequal:
        print(f"\n{name}")
        if name not in a or name not in b:
            print(f"  is only in {first if name in a else second}")
            continue
        texts = [new(a[name].get("text", "")), b[name].get("text", "")]
        lines = list(difflib.unified_diff(*(text.splitlines() for text in texts), lineterm="", n=1))[2:]
        print("\n".join(f"  {line[:300]}" for line in lines[:16]) or "  other bytes")
        if len(lines) > 16:
            print(f"  ... {len(lines) - 16} lines more")
    print(f"\n{len(names) - len(unequal)} items are equal, {len(unequal)} are not")
    return 1 if unequal else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    recorder, comparer = verbs.add_parser("record"), verbs.add_parser("compare")
    recorder.add_argument("--program", type=Path, required=True)
    recorder.add_argument("--out", type=Path, required=True)
    recorder.add_argument("--old", type=Path, help="what an older program recorded, to go on from")
    comparer.add_argument("first", type=Path)
    comparer.add_argument("second", type=Path)
    for verb in (recorder, comparer):
        verb.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW")
    options = parser.parse_args()
    if options.verb == "record":
        sys.exit(record(options))
    sys.exit(compare(options.first, options.second, options.renamed))


if __name__ == "__main__":
    main()
