//! From game files to examples.

use std::path::{Path, PathBuf};

use flipside::{board::Position, eval::FEATURES};
use rayon::prelude::*;

use super::{
    model::Model,
    pass::{CHUNK_SIZE, Chunk},
};
use crate::{
    error::{Result, ToolError},
    games::{GameFile, GameRecord},
    labels::{LabelFile, Labels, sidecar_path},
    rng::{Rng, mix},
};

/// Which positions become examples, and with which label.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Selection {
    /// Most positions of one game, chosen at random; 0 for all.
    pub per_game: usize,
    /// Share of the games held out for validation, 0 to 1.
    pub validation: f64,
    /// Weight of the final score in the label of a position from which play was not exact; the rest is the search
    /// value of the label file, when there is one.
    pub lambda: f32,
    /// Leave out positions from which play was not exact.
    pub exact_only: bool,
    /// Leave out positions from which play was not exact and that have no label.
    pub labelled_only: bool,
    /// Most positions in all, chosen at random; 0 for all.
    pub most: u64,
    /// Seed of the choices.
    pub seed: u64,
}

impl Default for Selection {
    fn default() -> Self {
        Self { per_game: 0, validation: 0.02, lambda: 1.0, exact_only: false, labelled_only: false, most: 0, seed: 1 }
    }
}

/// A labelled position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Example {
    /// The position, its side to move able to place.
    pub position: Position,
    /// Its value in discs.
    pub label: f32,
}

/// Examples by number of empties, split by game.
#[derive(Clone, Debug, Default)]
pub struct Dataset<const F: usize> {
    /// For fitting.
    pub training: Vec<Chunk<F>>,
    /// Held out.
    pub validation: Vec<Chunk<F>>,
    /// Games read.
    pub games: usize,
}

/// Games turned into examples before they are sorted into chunks.
const BATCH: usize = 8192;

impl<const F: usize> Dataset<F> {
    /// Examples for fitting.
    pub fn training_count(&self) -> usize {
        self.training.iter().map(|chunk| chunk.labels.len()).sum()
    }

    /// Examples held out.
    pub fn validation_count(&self) -> usize {
        self.validation.iter().map(|chunk| chunk.labels.len()).sum()
    }
}

impl Dataset<FEATURES> {
    /// Reads all files.
    ///
    /// # Errors
    /// When a file cannot be read or has a bad game.
    pub fn load(model: &Model<FEATURES>, paths: &[PathBuf], selection: &Selection) -> Result<Self> {
        let files = paths.iter().map(|path| Source::open(path)).collect::<Result<Vec<_>>>()?;
        let share = if selection.most == 0 {
            1.0
        } else {
            let all: u64 = files.iter().map(|file| file.rough_count(selection)).sum::<Result<u64>>()?;
            selection.most as f64 / all.max(1) as f64
        };
        let mut data = Self::default();
        let (mut training, mut validation) = (Sorter::new(model), Sorter::new(model));
        for file in &files {
            for start in (0..file.games.len()).step_by(BATCH) {
                let numbers = start..(start + BATCH).min(file.games.len());
                let batch: Vec<(bool, Vec<Indexed>)> = numbers
                    .into_par_iter()
                    .map(|number| {
                        let (held_out, examples) = file.examples(number, selection, share)?;
                        let index = |example: &Example| Indexed {
                            empties: example.position.empties() as usize,
                            indices: model.indices(example.position),
                            label: example.label,
                        };
                        Ok((held_out, examples.iter().map(index).collect()))
                    })
                    .collect::<Result<_>>()?;
                for (held_out, examples) in batch {
                    let sorter = if held_out { &mut validation } else { &mut training };
                    for example in &examples {
                        sorter.add(example);
                    }
                }
            }
            data.games += file.games.len();
        }
        data.training = training.finish();
        data.validation = validation.finish();
        Ok(data)
    }
}

struct Indexed {
    empties: usize,
    indices: [u16; FEATURES],
    label: f32,
}

/// Fills one open chunk for each number of empties.
struct Sorter {
    open: Vec<Chunk<FEATURES>>,
    full: Vec<Chunk<FEATURES>>,
}

impl Sorter {
    fn new(model: &Model<FEATURES>) -> Self {
        let open = (0..model.constants).map(|empties| Chunk { empties, ..Chunk::default() }).collect();
        Self { open, full: Vec::new() }
    }

    fn add(&mut self, example: &Indexed) {
        let chunk = &mut self.open[example.empties];
        chunk.indices.push(example.indices);
        chunk.labels.push(example.label);
        if chunk.labels.len() == CHUNK_SIZE {
            let empties = example.empties;
            self.full.push(std::mem::replace(chunk, Chunk { empties, ..Chunk::default() }));
        }
    }

    fn finish(mut self) -> Vec<Chunk<FEATURES>> {
        self.full.extend(self.open.into_iter().filter(|chunk| !chunk.labels.is_empty()));
        // The largest first, so that no thread is left with a long one at the end.
        self.full.sort_by_key(|chunk| std::cmp::Reverse(chunk.labels.len()));
        self.full
    }
}

/// A game file with its labels, if there are any.
#[derive(Debug)]
pub struct Source {
    games: GameFile,
    labels: Option<LabelFile>,
}

impl Source {
    /// Opens a game file, and the label file beside it when it exists.
    ///
    /// # Errors
    /// When one cannot be read or they do not belong together.
    pub fn open(path: &Path) -> Result<Self> {
        let games = GameFile::open(path)?;
        let sidecar = sidecar_path(path);
        let labels = sidecar.exists().then(|| LabelFile::open(&sidecar, &games)).transpose()?;
        Ok(Self { games, labels })
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// True without games.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// About how many examples the file gives.
    fn rough_count(&self, selection: &Selection) -> Result<u64> {
        let counts = (0..self.games.len()).into_par_iter().map(|number| {
            let game = self.games.game(number)?;
            let count = game.placements.len() - usize::from(game.random_plies);
            Ok(if selection.per_game == 0 { count } else { count.min(selection.per_game) } as u64)
        });
        counts.sum()
    }

    /// The examples of a game, and whether it is held out.
    ///
    /// # Errors
    /// When the game's record is damaged or its moves are illegal.
    pub fn examples(&self, number: usize, selection: &Selection, share: f64) -> Result<(bool, Vec<Example>)> {
        let game = self.games.game(number)?;
        let labels = match &self.labels {
            Some(file) => file.labels(number)?,
            None => None,
        };
        let replayed = examples_of(&game, u32::from(self.games.header().exact_empties), labels.as_ref(), selection);
        let mut examples =
            replayed.map_err(|problem| ToolError::format(self.games.path(), format!("game {number}"), problem))?;
        let hash = game.hash();
        let mut rng = Rng::stream(selection.seed, hash);
        if selection.per_game > 0 && examples.len() > selection.per_game {
            rng.shuffle(&mut examples);
            examples.truncate(selection.per_game);
        }
        if share < 1.0 {
            examples.retain(|_| rng.unit() < share);
        }
        Ok((is_held_out(hash, selection.validation), examples))
    }
}

/// Whether a game belongs to the held-out part; depends on its moves alone.
pub fn is_held_out(hash: u64, share: f64) -> bool {
    ((mix(hash ^ 0x8E1D_0475) >> 11) as f64) < share * (1u64 << 53) as f64
}

fn examples_of(
    game: &GameRecord,
    exact_empties: u32,
    labels: Option<&Labels>,
    selection: &Selection,
) -> std::result::Result<Vec<Example>, crate::games::ReplayError> {
    let mut examples = Vec::with_capacity(game.placements.len());
    for (index, ply) in game.replay()?.iter().enumerate() {
        let exact = ply.position.empties() <= exact_empties;
        if ply.random || (selection.exact_only && !exact) {
            continue;
        }
        let score = f32::from(ply.score);
        let searched = labels.and_then(|labels| labels.at(index)).filter(|_| !exact);
        if selection.labelled_only && !exact && searched.is_none() {
            continue;
        }
        let label = match searched {
            Some(centidiscs) => selection.lambda * score + (1.0 - selection.lambda) * f32::from(centidiscs) / 100.0,
            None => score,
        };
        examples.push(Example { position: ply.position, label });
    }
    Ok(examples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn games_are_split_whole_and_all_positions_found() {
        let dir = TestDir::new("dataset");
        let path = dir.games(60, 8, (10, 20), 4);
        let model = Model::engine();
        let selection = Selection { validation: 0.3, ..Selection::default() };
        let data = Dataset::load(&model, std::slice::from_ref(&path), &selection).unwrap();
        let played = crate::check::check(&path, 0).unwrap().played;
        assert_eq!((data.training_count() + data.validation_count()) as u64, played);
        let share = data.validation_count() as f64 / played as f64;
        assert!((0.1..0.5).contains(&share), "{share}");
        let few = Selection { per_game: 3, validation: 0.0, ..selection };
        assert_eq!(Dataset::load(&model, std::slice::from_ref(&path), &few).unwrap().training_count(), 180);
        let thin = Selection { most: 500, validation: 0.0, ..selection };
        let count = Dataset::load(&model, &[path], &thin).unwrap().training_count();
        assert!((400..600).contains(&count), "{count}");
    }

    #[test]
    fn labels_blend_only_before_exact_play() {
        let dir = TestDir::new("dataset-labels");
        let path = dir.games(60, 8, (10, 20), 4);
        let game = GameFile::open(&path).unwrap().game(0).unwrap();
        let mut labels = Labels::default();
        (0..60).for_each(|ply| labels.set(ply, 1000));
        let selection = Selection { lambda: 0.25, ..Selection::default() };
        let plain = examples_of(&game, 8, None, &selection).unwrap();
        let blended = examples_of(&game, 8, Some(&labels), &selection).unwrap();
        for (plain, blended) in plain.iter().zip(&blended) {
            let exact = plain.position.empties() <= 8;
            let expected = if exact { plain.label } else { plain.label * 0.25 + 7.5 };
            assert!((blended.label - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn unlabelled_positions_may_be_left_out() {
        let dir = TestDir::new("dataset-labelled");
        let path = dir.games(60, 8, (10, 20), 4);
        let game = GameFile::open(&path).unwrap().game(0).unwrap();
        let mut labels = Labels::default();
        labels.set(30, 1000);
        let selection = Selection { labelled_only: true, lambda: 0.0, ..Selection::default() };
        let examples = examples_of(&game, 8, Some(&labels), &selection).unwrap();
        let early: Vec<f32> = examples.iter().filter(|e| e.position.empties() > 8).map(|e| e.label).collect();
        assert_eq!(early, [10.0]);
        assert!(examples.len() > 1);
    }
}
