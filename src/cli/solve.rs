//! `flipside solve`: exact scores of positions, checked against the scores the input states.

use std::time::Duration;

use flipside::{
    board::{Board, Move},
    engine::{Engine, Goal, Outcome, Request},
    search::{Bound, Line, Nodes, Proof},
};
use serde_json::{Value, json};

use super::{
    args::{EngineArgs, SolveArgs},
    input::{Entry, Inputs},
    interrupt::Interrupt,
    json::{bound_name, line_json, move_names, proof_name, score_json},
    new_engine,
    output::{Finish, Output, Status, discs, moves_text, per_second, remark, score_text, seconds},
    progress::Meter,
};

/// Solves everything.
pub fn run(arguments: &SolveArgs, options: &EngineArgs, output: &mut Output) -> Finish {
    let mut inputs = Inputs::new(&arguments.inputs)?.until_theory();
    // First of all: allocating a large table takes a while.
    let interrupt = Interrupt::install();
    let mut engine = new_engine(options)?;
    let mut meter = Meter::new();
    let mut totals = Totals::default();
    let request = Request {
        goal: match arguments.window {
            Some((alpha, beta)) => Goal::Solve { alpha, beta },
            None if arguments.wld => Goal::WIN_LOSS_DRAW,
            None => Goal::EXACT,
        },
        lines: if arguments.all_moves { usize::MAX } else { 1 },
        time: None,
    };
    let mut interrupted = false;
    while let Some(entry) = inputs.next_entry() {
        totals.positions += 1;
        let board = entry.board();
        meter.label(format!("{}: {} empties,", totals.positions, board.position().empties()));
        let solved = solve(&mut engine, board, &request, arguments.wld, &interrupt, &mut meter);
        interrupted = interrupt.is_stopped();
        let check = solved.check(&entry);
        totals.add(&solved, &check);
        if arguments.json {
            output.line(solved.json(&entry, &check, totals.positions, arguments.all_moves))?;
        } else {
            if totals.positions == 1 {
                output.line(HEADER)?;
            }
            for line in solved.rows(&check, totals.positions, arguments.all_moves) {
                output.line(line)?;
            }
        }
        output.flush()?;
        if interrupted {
            break;
        }
    }
    let summary = totals.summary(inputs.bad());
    if arguments.json {
        remark(&summary);
    } else {
        output.line("")?;
        output.line(summary)?;
        output.flush()?;
    }
    Ok(match inputs.status() {
        _ if interrupted => Status::Interrupted,
        Status::Success if totals.disagree > 0 => Status::Failed,
        status => status,
    })
}

/// A result that can be stated, checked and printed.
#[derive(Debug)]
struct Solved {
    board: Board,
    /// Score in discs from the mover's view; only its sign counts when `proof` is win, loss or draw.
    score: i32,
    bound: Bound,
    proof: Proof,
    depth: String,
    score_text: String,
    best: Vec<Move>,
    lines: Vec<Line>,
    /// Proven bounds of the score.
    proven: (i32, i32),
    nodes: Nodes,
    elapsed: Duration,
    completed: bool,
}

fn solve(
    engine: &mut Engine,
    board: Board,
    request: &Request,
    wld: bool,
    interrupt: &Interrupt,
    meter: &mut Meter,
) -> Solved {
    let position = board.position();
    if position.is_over() {
        let score = position.final_score();
        let done = Outcome {
            lines: Vec::new(),
            proven: (score, score),
            nodes: Nodes::default(),
            elapsed: Duration::ZERO,
            completed: true,
        };
        return Solved::new(board, done, wld, score);
    }
    engine.prepare_to_solve(position.empties());
    let outcome = interrupt.search(engine, position, request, meter);
    Solved::new(board, outcome, wld, 0)
}

impl Solved {
    /// `final_score` is the score when there are no lines.
    fn new(board: Board, outcome: Outcome, wld: bool, final_score: i32) -> Self {
        let Outcome { lines, proven, nodes, elapsed, completed } = outcome;
        let over = board.position().is_over();
        let (mut score, mut bound, mut proof, mut depth, mut text) = match lines.first() {
            Some(line) => (line.discs(), line.bound, line.proof, line.depth_text(), score_text(line)),
            None if over => (final_score, Bound::Exact, Proof::Score, "100%".to_owned(), discs(final_score)),
            None => (0, Bound::Exact, Proof::None, "0".to_owned(), "?".to_owned()),
        };
        let sign = sign(score, bound, proof);
        if let Some(sign) = sign.filter(|_| wld) {
            (score, bound, proof, depth) = (sign, Bound::Exact, Proof::WinLossDraw, "100%W".to_owned());
            ["loss", "draw", "win"][(sign + 1) as usize].clone_into(&mut text);
        }
        let same = |line: &&Line| match proof {
            Proof::WinLossDraw => self::sign(line.discs(), line.bound, line.proof) == sign,
            _ => line.bound == Bound::Exact && line.proof == Proof::Score && line.discs() == score,
        };
        let mut best: Vec<Move> = lines.iter().filter(same).map(|line| line.mv).collect();
        if best.is_empty() {
            best.extend(lines.first().map(|line| line.mv));
        }
        Self { board, score, bound, proof, depth, score_text: text, best, lines, proven, nodes, elapsed, completed }
    }

    fn pv(&self) -> &[Move] {
        self.lines.first().map_or(&[], |line| &line.pv)
    }

    /// Whether a true score of `expected` is compatible with this result.
    fn allows(&self, expected: i32) -> bool {
        match (self.proof, self.bound) {
            (Proof::WinLossDraw, _) => expected.signum() == self.score.signum(),
            (_, Bound::Exact) => expected == self.score,
            (_, Bound::Lower) => expected >= self.score,
            (_, Bound::Upper) => expected <= self.score,
        }
    }

    /// Compares with what the input states.
    fn check(&self, entry: &Entry) -> Check {
        if self.proof == Proof::None {
            return Check::Nothing;
        }
        let Some(expected) = entry.expected else { return Check::Nothing };
        if !self.allows(expected) {
            return Check::Disagrees(format!("the input says {}", discs(expected)));
        }
        let stated = |mv: Move| entry.scores.iter().find(|(other, _)| *other == mv).map(|(_, score)| *score);
        let best_is_best = |score: i32| match (self.proof, self.bound) {
            (Proof::WinLossDraw, _) => score.signum() == expected.signum(),
            (_, Bound::Exact) => score == expected,
            _ => true,
        };
        for &mv in &self.best {
            if let Some(score) = stated(mv).filter(|&score| !best_is_best(score)) {
                let score = discs(score);
                return Check::Disagrees(format!("the input says {} and only {score} for {mv}", discs(expected)));
            }
        }
        if self.proof == Proof::WinLossDraw {
            return Check::Agrees(expected);
        }
        for line in self.lines.iter().filter(|line| line.proof == Proof::Score && line.bound == Bound::Exact) {
            if let Some(score) = stated(line.mv).filter(|&score| score != line.discs()) {
                let (ours, theirs) = (discs(line.discs()), discs(score));
                return Check::Disagrees(format!("{} is {ours} but the input says {theirs}", line.mv));
            }
        }
        Check::Agrees(expected)
    }

    /// The table row, the rows of single moves and a note when something is to be said.
    fn rows(&self, check: &Check, index: usize, all_moves: bool) -> Vec<String> {
        let best = if self.best.is_empty() { "-".to_owned() } else { moves_text(&self.best).replace(' ', ",") };
        let mut rows = vec![format!(
            "{index:>5} {:>3} {:>7} {:>6} {:>10} {:>14} {:>11}  {best:<6} {}",
            self.board.position().empties(),
            self.depth,
            self.score_text,
            seconds(self.elapsed),
            self.nodes.total,
            per_second(self.nodes.total, self.elapsed),
            if self.lines.is_empty() { "game over".to_owned() } else { moves_text(self.pv()) },
        )];
        if all_moves {
            rows.extend(self.lines.iter().map(|line| {
                let (mv, depth, score, pv) =
                    (line.mv.to_string(), line.depth_text(), score_text(line), moves_text(&line.pv));
                format!("      {mv:>4} {depth:>6} {score:>6}  {pv}")
            }));
        }
        if let Check::Disagrees(why) = check {
            rows.push(format!("      DISAGREES: {why}"));
        }
        if !self.completed {
            let (low, high) = self.proven;
            rows.push(format!("      interrupted; proven so far: {} to {}", discs(low), discs(high)));
        }
        rows
    }

    fn json(&self, entry: &Entry, check: &Check, index: usize, all_moves: bool) -> Value {
        let position = self.board.position();
        let mut object = json!({
            "index": index,
            "input": entry.text,
            "file": entry.file,
            "line": entry.line,
            "board": self.board.to_string(),
            "side": self.board.side_to_move().to_string(),
            "empties": position.empties(),
            "game_over": position.is_over(),
            "score": match self.lines.first() {
                None if !position.is_over() => Value::Null,
                Some(line) if self.proof == Proof::None => score_json(line.score, line.to_end),
                _ => self.score.into(),
            },
            "bound": bound_name(self.bound),
            "exact": self.proof == Proof::Score && self.bound == Bound::Exact,
            "proven": [self.proven.0, self.proven.1],
            "proof": proof_name(self.proof),
            "depth": self.depth,
            "best_moves": move_names(&self.best),
            "pv": move_names(self.pv()),
            "nodes": self.nodes.total,
            "nodes_searched": self.nodes.searched,
            "seconds": self.elapsed.as_secs_f64(),
            "nps": per_second(self.nodes.total, self.elapsed),
            "completed": self.completed,
            "expected": entry.expected,
            "agrees": match check {
                Check::Nothing => Value::Null,
                Check::Agrees(_) => true.into(),
                Check::Disagrees(_) => false.into(),
            },
        });
        if let Check::Disagrees(why) = check {
            object["disagreement"] = why.as_str().into();
        }
        if all_moves {
            object["moves"] = self.lines.iter().map(line_json).collect();
        }
        object
    }
}

/// The proven sign of a score: 1 win, 0 draw, -1 loss.
fn sign(score: i32, bound: Bound, proof: Proof) -> Option<i32> {
    match (proof, bound) {
        (Proof::None, _) => None,
        (Proof::WinLossDraw, _) | (Proof::Score, Bound::Exact) => Some(score.signum()),
        (Proof::Score, Bound::Lower) => (score > 0).then_some(1),
        (Proof::Score, Bound::Upper) => (score < 0).then_some(-1),
    }
}

/// What the comparison with the input gave.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Check {
    /// The input states no score, or none was proven.
    Nothing,
    Agrees(i32),
    Disagrees(String),
}

#[derive(Debug, Default)]
struct Totals {
    positions: usize,
    agree: usize,
    disagree: usize,
    nodes: Nodes,
    time: Duration,
}

impl Totals {
    fn add(&mut self, solved: &Solved, check: &Check) {
        self.nodes += solved.nodes;
        self.time += solved.elapsed;
        match check {
            Check::Nothing => {}
            Check::Agrees(_) => self.agree += 1,
            Check::Disagrees(_) => self.disagree += 1,
        }
    }

    fn summary(&self, bad: usize) -> String {
        let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let mut parts = vec![plural(self.positions, "position")];
        if self.agree + self.disagree > 0 {
            parts.push(format!("{} agree, {} disagree", self.agree, self.disagree));
        }
        if bad > 0 {
            parts.push(plural(bad, "bad line"));
        }
        format!(
            "{}: {} nodes ({} searched) in {} s, {} nodes/s",
            parts.join(", "),
            self.nodes.total,
            self.nodes.searched,
            seconds(self.time),
            per_second(self.nodes.total, self.time)
        )
    }
}

/// Names of the columns of [`Solved::rows`].
const HEADER: &str = "    # emp   depth  score       time          nodes     nodes/s  best   principal variation";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proven_signs() {
        assert_eq!(sign(2, Bound::Lower, Proof::Score), Some(1));
        assert_eq!(sign(0, Bound::Lower, Proof::Score), None);
        assert_eq!(sign(0, Bound::Exact, Proof::Score), Some(0));
        assert_eq!(sign(-1, Bound::Upper, Proof::Score), Some(-1));
        assert_eq!(sign(5, Bound::Exact, Proof::None), None);
        assert_eq!(sign(-1, Bound::Exact, Proof::WinLossDraw), Some(-1));
    }

    #[test]
    fn agreement() {
        let solved = |score: i32, bound: Bound| Solved {
            board: Board::START,
            score,
            bound,
            proof: Proof::Score,
            depth: String::new(),
            score_text: String::new(),
            best: Vec::new(),
            lines: Vec::new(),
            proven: (-64, 64),
            nodes: Nodes::default(),
            elapsed: Duration::ZERO,
            completed: true,
        };
        assert!(solved(4, Bound::Exact).allows(4) && !solved(4, Bound::Exact).allows(6));
        assert!(solved(4, Bound::Lower).allows(6) && !solved(4, Bound::Lower).allows(2));
        assert!(solved(4, Bound::Upper).allows(2) && !solved(4, Bound::Upper).allows(6));
    }
}
