//! `flipside analyze` (every move of a game) and `flipside hint` (the best moves of a position).

use flipside::{
    board::{Board, Color, Move},
    engine::{Engine, Goal, Request, TimeBudget},
    search::{Bound, Line, Proof},
};
use serde_json::{Value, json};

use super::{
    args::{AnalyzeArgs, Effort, EngineArgs, HintArgs},
    draw::result,
    input::{Entry, Inputs},
    interrupt::Interrupt,
    json::{line_json, score_json},
    new_engine,
    output::{Failure, Finish, Output, Status, centidiscs, discs, moves_text, score_text},
    progress::Meter,
};

/// The search that the options ask for.
fn request(effort: &Effort, options: &EngineArgs, lines: usize) -> Request {
    let time = effort.time.map(|hard| TimeBudget { soft: hard.mul_f64(SOFT_SHARE), hard });
    let goal = match (effort.depth, options.level, time) {
        (Some(depth), _, _) => Goal::Depth(depth, effort.selectivity),
        (None, None, Some(_)) => Goal::Level(Goal::MAX_LEVEL),
        _ => Goal::Level(options.level()),
    };
    Request { goal, lines, time }
}

/// Share of the time after which no deeper search is begun: it would rarely finish.
const SOFT_SHARE: f64 = 0.6;

/// A searcher with everything it needs at hand.
struct Analyst {
    engine: Engine,
    interrupt: Interrupt,
    meter: Meter,
    request: Request,
}

impl Analyst {
    fn new(effort: &Effort, options: &EngineArgs, lines: usize) -> Result<Self, Failure> {
        Ok(Self {
            // First of all: allocating a large table takes a while.
            interrupt: Interrupt::install(),
            engine: new_engine(options)?,
            meter: Meter::new(),
            request: request(effort, options, lines),
        })
    }

    /// The best lines of a position; none when the game is over.
    fn lines(&mut self, board: Board) -> Vec<Line> {
        if board.position().is_over() {
            return Vec::new();
        }
        self.interrupt.search(&mut self.engine, board.position(), &self.request, &mut self.meter).lines
    }
}

/// The best moves of every position.
pub fn hint(arguments: &HintArgs, options: &EngineArgs, output: &mut Output) -> Finish {
    let mut inputs = Inputs::new(&arguments.inputs)?;
    let mut analyst = Analyst::new(&arguments.effort, options, arguments.lines)?;
    let mut index = 0;
    while let Some(entry) = inputs.next_entry() {
        index += 1;
        let board = entry.board();
        analyst.meter.label(format!("{index}:"));
        let lines = analyst.lines(board);
        if arguments.effort.json {
            output.line(hint_json(&entry, index, &lines))?;
        } else {
            output.line(format!("{index}: {board}, {}", state(board)))?;
            for (rank, line) in lines.iter().enumerate() {
                let (mv, score, depth) = (line.mv.to_string(), score_text(line), line.depth_text());
                output.line(format!("  {:>3} {mv:>4} {score:>8} {depth:>8}  {}", rank + 1, moves_text(&line.pv)))?;
            }
        }
        output.flush()?;
        if analyst.interrupt.is_stopped() {
            return Ok(Status::Interrupted);
        }
    }
    Ok(inputs.status())
}

fn hint_json(entry: &Entry, index: usize, lines: &[Line]) -> Value {
    let board = entry.board();
    let position = board.position();
    json!({
        "index": index,
        "input": entry.text,
        "file": entry.file,
        "line": entry.line,
        "board": board.to_string(),
        "side": board.side_to_move().to_string(),
        "empties": position.empties(),
        "game_over": position.is_over(),
        "final_score": position.is_over().then(|| position.final_score()),
        "moves": lines.iter().map(line_json).collect::<Vec<_>>(),
    })
}

/// Who is to move, or how the game ended.
fn state(board: Board) -> String {
    let position = board.position();
    let side = board.side_to_move();
    if position.is_over() {
        format!("game over, {}", result(board))
    } else if position.must_pass() {
        format!("{} empty, {side} passes", position.empties())
    } else {
        format!("{} empty, {side} to move", position.empties())
    }
}

/// One position of a game and what was played there.
#[derive(Debug)]
struct Ply {
    board: Board,
    played: Option<Move>,
    /// Of the move played, in centi-discs from its player's view.
    played_score: i32,
    /// Of the best move; the final score when the game is over.
    best_score: i32,
    best: Option<Move>,
    depth: String,
    /// Whether the best score is proven.
    exact: bool,
    /// What the best move leads to.
    pv: Vec<Move>,
    /// Whether the score of the move played is; true when none was.
    played_exact: bool,
    lines: Vec<Line>,
}

impl Ply {
    fn loss(&self) -> i32 {
        if self.played.is_some() { self.best_score - self.played_score } else { 0 }
    }

    /// The loss can only be as sure as both scores.
    fn loss_is_exact(&self) -> bool {
        self.exact && self.played_exact
    }
}

/// A score as it may be stated: whole discs when it is proven, else decimals.
fn text(score: i32, exact: bool) -> String {
    if exact && score % 100 == 0 { discs(score / 100) } else { centidiscs(score) }
}

/// Analyses every game.
pub fn analyze(arguments: &AnalyzeArgs, options: &EngineArgs, output: &mut Output) -> Finish {
    let mut inputs = Inputs::new(&arguments.inputs)?;
    let mut analyst = Analyst::new(&arguments.effort, options, arguments.lines)?;
    let mut index = 0;
    while let Some(entry) = inputs.next_entry() {
        index += 1;
        let plies = analyze_game(&entry, index, &mut analyst);
        if arguments.effort.json {
            for (number, ply) in &plies {
                output.line(ply_json(&entry, index, *number, ply))?;
            }
        } else {
            if index > 1 {
                output.line("")?;
            }
            if let (Some(file), Some(line)) = (&entry.file, entry.line) {
                output.line(format!("game {index}, {file}:{line}"))?;
            } else if arguments.inputs.len() > 1 {
                output.line(format!("game {index}"))?;
            }
            write_table(&plies, arguments.lines, output)?;
        }
        output.flush()?;
        if analyst.interrupt.is_stopped() {
            return Ok(Status::Interrupted);
        }
    }
    Ok(inputs.status())
}

/// Searches the positions of a game from its end, so that what is learnt late in the game serves the positions
/// before; gives them in the order of play, numbered from 0. After an interruption the earlier ones are missing.
fn analyze_game(entry: &Entry, index: usize, analyst: &mut Analyst) -> Vec<(usize, Ply)> {
    let game = &entry.game;
    let mut plies: Vec<(usize, Ply)> = Vec::new();
    for (number, &board) in game.boards().iter().enumerate().rev() {
        if analyst.interrupt.is_stopped() {
            break;
        }
        let played = game.moves().get(number).copied();
        let after = plies.last().map(|(_, ply)| ply);
        analyst.meter.label(format!("game {index}, position {number}:"));
        let lines = if played == Some(Move::Pass) { Vec::new() } else { analyst.lines(board) };
        plies.push((number, judge(board, played, lines, after)));
    }
    plies.reverse();
    plies
}

/// Puts together what a position's search and the search of the position after it say.
fn judge(board: Board, played: Option<Move>, lines: Vec<Line>, after: Option<&Ply>) -> Ply {
    let mut ply = Ply {
        board,
        played,
        played_score: after.map_or(0, |after| -after.best_score),
        best_score: 100 * board.position().final_score(),
        best: None,
        depth: "100%".to_owned(),
        exact: true,
        pv: Vec::new(),
        played_exact: after.is_none_or(|after| after.exact),
        lines: Vec::new(),
    };
    if let Some(line) = lines.first() {
        ply.best_score = line.score;
        ply.best = Some(line.mv);
        ply.depth = line.depth_text();
        ply.pv.clone_from(&line.pv);
        ply.exact = line.proof == Proof::Score && line.bound == Bound::Exact;
        if let Some(line) = lines.iter().find(|line| Some(line.mv) == played && line.bound == Bound::Exact) {
            ply.played_score = line.score;
            ply.played_exact = line.proof == Proof::Score;
        }
    } else if let Some(after) = after.filter(|_| played == Some(Move::Pass)) {
        ply.best_score = ply.played_score;
        ply.best = played;
        ply.depth.clone_from(&after.depth);
        ply.exact = after.exact;
    }
    if let Some(mv) = played.filter(|&mv| ply.best != Some(mv)) {
        // A mirror image of the best move is as good, whatever the search after it estimates.
        let mirrored = ply.best.is_some_and(|best| {
            let reached = |mv| board.play(mv).map(|after| after.position().canonical());
            reached(best) == reached(mv)
        });
        // An estimate does not overrule a proof.
        if mirrored || ply.exact && !ply.played_exact && ply.played_score > ply.best_score {
            ply.played_score = ply.best_score;
        }
        // The search after the move looks a ply further: believe it when it likes the move better.
        if mirrored || ply.played_score > ply.best_score {
            ply.best = played;
            ply.pv = std::iter::once(mv).chain(after.iter().flat_map(|after| after.pv.iter().copied())).collect();
        }
    }
    if played.is_some() {
        ply.best_score = ply.best_score.max(ply.played_score);
    }
    ply.lines = lines;
    ply
}

fn write_table(plies: &[(usize, Ply)], lines: usize, output: &mut Output) -> std::io::Result<()> {
    output.line(" ply  move          score  best   score    loss   depth  expected continuation")?;
    for (number, ply) in plies {
        let side = ply.board.side_to_move();
        let pv = moves_text(&ply.pv);
        let Some(played) = ply.played else {
            let score = text(ply.best_score, ply.exact);
            let best = ply.best.map(|mv| mv.to_string()).unwrap_or_default();
            output.line(format!("{:>4}  {}", number + 1, state(ply.board)))?;
            if ply.best.is_some() {
                output.line(format!("{:27}{best:<5}{score:>7} {:>7} {:>7}  {pv}", "", "", ply.depth))?;
            }
            continue;
        };
        if played == Move::Pass {
            output.line(format!("{:>4}  {side} passes", number + 1))?;
            continue;
        }
        let loss = if ply.loss() == 0 { String::new() } else { text(-ply.loss(), ply.loss_is_exact()) };
        output.line(format!(
            "{:>4}  {side} {:<4} {:>9}  {:<5}{:>7} {loss:>7} {:>7}  {pv}",
            number + 1,
            played.to_string(),
            text(ply.played_score, ply.played_exact),
            ply.best.map(|mv| mv.to_string()).unwrap_or_default(),
            text(ply.best_score, ply.exact),
            ply.depth,
        ))?;
        if lines > 1 {
            for line in &ply.lines {
                output.line(format!(
                    "{:27}{:<5}{:>7} {:>7} {:>7}  {}",
                    "",
                    line.mv.to_string(),
                    score_text(line),
                    "",
                    line.depth_text(),
                    moves_text(&line.pv)
                ))?;
            }
        }
    }
    // A position without a game has nothing to sum up.
    if plies.iter().all(|(_, ply)| ply.played.is_none()) {
        return Ok(());
    }
    for side in [Color::Black, Color::White] {
        let losses: Vec<i32> = plies
            .iter()
            .filter(|(_, ply)| ply.board.side_to_move() == side && ply.loss() > 0)
            .map(|(_, ply)| ply.loss())
            .collect();
        let total: i32 = losses.iter().sum();
        let (count, s) = (losses.len(), if losses.len() == 1 { "" } else { "s" });
        output.line(format!("{side} lost {}.{:02} discs in {count} move{s}", total / 100, total % 100))?;
    }
    Ok(())
}

fn ply_json(entry: &Entry, index: usize, number: usize, ply: &Ply) -> Value {
    json!({
        "game": index,
        "file": entry.file,
        "line": entry.line,
        "ply": number + 1,
        "board": ply.board.to_string(),
        "side": ply.board.side_to_move().to_string(),
        "empties": ply.board.position().empties(),
        "game_over": ply.board.position().is_over(),
        "move": ply.played.map(|mv| mv.to_string()),
        "score": ply.played.map(|_| score_json(ply.played_score, ply.played_exact)),
        "best": ply.best.map(|mv| mv.to_string()),
        "best_score": score_json(ply.best_score, ply.exact),
        "loss": ply.played.map(|_| score_json(ply.loss(), ply.loss_is_exact())),
        "exact": ply.loss_is_exact(),
        "depth": ply.depth,
        "moves": ply.lines.iter().map(line_json).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use flipside::{board::Square, search::Selectivity};

    use super::*;

    fn line(score: i32, proof: Proof) -> Line {
        let mv = Move::from(Square::new(43).unwrap());
        Line {
            mv,
            score,
            bound: Bound::Exact,
            depth: 10,
            selectivity: Selectivity::None,
            to_end: proof == Proof::Score,
            proof,
            pv: vec![mv],
            book_games: None,
        }
    }

    /// The judgement of a move after which, and before which, the best line has these scores.
    fn judged(before: Line, after: Line) -> Ply {
        let mv = before.mv;
        // After f5, d6 and f4 are no mirror images of each other.
        let board = Board::START.play(Square::new(37).unwrap().into()).unwrap();
        let next = judge(board.play(mv).unwrap(), None, vec![after], None);
        judge(board, Some(mv), vec![Line { mv: Move::from(Square::new(29).unwrap()), ..before }], Some(&next))
    }

    #[test]
    fn an_estimate_does_not_overrule_a_proven_score() {
        let ply = judged(line(400, Proof::Score), line(-725, Proof::None));
        assert_eq!((ply.best_score, ply.played_score, ply.exact, ply.loss_is_exact()), (400, 400, true, false));
        assert_ne!(ply.best, ply.played);
    }

    #[test]
    fn a_search_after_the_move_corrects_an_estimate() {
        let ply = judged(line(400, Proof::None), line(-725, Proof::None));
        assert_eq!((ply.best_score, ply.played_score, ply.best), (725, 725, ply.played));
        let ply = judged(line(400, Proof::None), line(-600, Proof::Score));
        assert_eq!((ply.best_score, ply.exact, ply.played_exact), (600, false, true));
    }
}
