//! What the rows of a batch are for: half of them teach what an action does, a quarter which action it was, a quarter
//! that nothing changes where nothing is done. All go through the network at once.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};

use crate::model::{Step, batch};

/// How many rows of a batch are for what: half to act, a quarter to tell actions, a quarter to leave alone.
pub struct Parts {
    /// −log p(Y|X, a).
    pub act: usize,
    /// −log q(a|X, Y).
    pub tell: usize,
    /// −log p(X|X, no action).
    pub leave: usize,
}

/// Codes before, actions, codes after: first those to act, then those to tell with their own action, then with each
/// other one, then those to leave alone.
pub struct Rows {
    /// `[rows, codes]`
    pub before: Tensor<2>,
    /// `[rows, actions]`
    pub actions: Tensor<2>,
    /// `[rows, codes]`
    pub after: Tensor<2>,
    /// With how many actions each is compared, its own among them.
    pub compared: usize,
}

impl Parts {
    /// Of a batch of so many rows.
    pub fn of(rows: usize) -> Self {
        let quarter = rows / 4;
        Self { act: rows - 2 * quarter, tell: quarter, leave: quarter }
    }

    /// −log p(Y|X, a) of those to act, −log q(a|X, Y) of those to tell, −log p(X|X) of those to leave alone, from the
    /// log-likelihood of each row.
    pub fn terms(&self, likelihood: &Tensor<1>, compared: usize) -> [Tensor<1>; 3] {
        let part = |from: usize, count: usize| likelihood.clone().narrow(0, from, count);
        let (told, end) = (compared * self.tell, likelihood.dims()[0] - self.leave);
        let acted = part(0, self.act).mean() * -1.0;
        if self.tell == 0 {
            return [acted.clone(), acted.zeros_like(), acted.zeros_like()];
        }
        let each = part(self.act, told).reshape([compared, self.tell]);
        let own = log_softmax(each, 0).narrow(0, 0, 1);
        [acted, own.mean() * -1.0, part(end, self.leave).mean() * -1.0]
    }

    /// Which draw of chance each of the rows below has: those with which an action is compared have its own.
    pub fn draws(&self, others: usize) -> Vec<usize> {
        let told = (0..others).flat_map(|_| self.act..self.act + self.tell);
        let both = self.act + self.tell;
        (0..both).chain(told).chain(both..both + self.leave).collect()
    }

    /// `others` turn an action into another, `[actions, actions]` each.
    pub fn rows(
        &self,
        before: Tensor<2>,
        after: Tensor<2>,
        actions: Tensor<2>,
        others: &[Tensor<2>],
    ) -> Rows {
        let tell = |table: &Tensor<2>| table.clone().narrow(0, self.act, self.tell);
        let leave = |table: &Tensor<2>| table.clone().narrow(0, self.act + self.tell, self.leave);
        let both = self.act + self.tell;
        let all = |first: &Tensor<2>, told: Vec<Tensor<2>>, last: Tensor<2>| {
            let mut parts = vec![first.clone().narrow(0, 0, both)];
            parts.extend(told);
            parts.push(last);
            Tensor::cat(parts, 0)
        };
        let again = |table: &Tensor<2>| others.iter().map(|_| tell(table)).collect::<Vec<_>>();
        let other = others.iter().map(|other| tell(&actions).matmul(other.clone())).collect();
        Rows {
            actions: all(&actions, other, leave(&actions).zeros_like()),
            after: all(&after, again(&after), leave(&before)),
            before: all(&before, again(&before), leave(&before)),
            compared: others.len() + 1,
        }
    }
}

/// Actions to compare each with, drawn for a step: so many different turns of all by some places, `[actions, actions]` each.
pub fn others(all: usize, count: usize, step: &mut Step, device: &Device) -> Vec<Tensor<2>> {
    let turned = |by: usize| {
        let mut table = vec![0.0; all * all];
        (0..all).for_each(|a| table[a * all + (a + by + 1) % all] = 1.0);
        batch::matrix(&table, all, all, device)
    };
    step.permutation(all - 1).into_iter().take(count).map(turned).collect()
}
