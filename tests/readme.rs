//! The README says what the program does.

use flipside::search::{MAX_LEVEL, Selectivity, Step, level_plan};

const README: &str = include_str!("../README.md");

/// The cells of the rows of the table below a heading.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let section = README.split(&format!("\n## {heading}\n")).nth(1).expect("the section");
    let rows = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    rows.skip(2).map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The last number in a text.
fn number(text: &str) -> Option<u32> {
    text.split(|character: char| !character.is_ascii_digit()).rfind(|part| !part.is_empty())?.parse().ok()
}

#[test]
fn the_table_of_levels_is_true() {
    let mut expected_next = 0;
    for row in table("Levels") {
        let [levels, midgame, exact, at_98, at_87] = row[..] else { panic!("{row:?}") };
        let first = number(levels.split(" to ").next().unwrap()).unwrap();
        assert_eq!(first, expected_next, "{row:?}");
        for level in first..=number(levels).unwrap() {
            let most = |cell: &str, before: u32| match cell {
                "" => before,
                "always" => 60,
                "3 more" => before + 3,
                _ if cell.contains("2 x `level`") => 2 * level,
                _ if cell.contains("`level` - 1") => level - 1,
                _ => number(cell).expect(cell),
            };
            let exact = most(exact, 0);
            let at_98 = most(at_98, exact);
            let at_87 = most(at_87, at_98);
            for empties in 1..=60 {
                let to_end = |selectivity| Step { depth: empties, selectivity };
                let plan = level_plan(level, empties);
                let last = *plan.steps.last().unwrap();
                let expected = if empties <= exact {
                    to_end(Selectivity::None)
                } else if empties <= at_98 {
                    to_end(Selectivity::P98)
                } else if empties <= at_87 {
                    to_end(Selectivity::P87)
                } else if midgame.contains("73 %") {
                    Step { depth: level, selectivity: Selectivity::P73 }
                } else {
                    Step { depth: level.max(1), selectivity: Selectivity::None }
                };
                assert_eq!(last, expected, "level {level} at {empties} empties, {row:?}");
            }
            expected_next = level + 1;
        }
    }
    assert_eq!(expected_next, MAX_LEVEL + 1);
}
