//! The `flipside` program.
use flipside::{board::*, engine::*, search::*};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let threads: usize = args.get(2).map_or(1, |a| a.parse().unwrap());
    let limit: usize = args.get(3).map_or(99, |a| a.parse().unwrap());
    let mut engine = Engine::new(Settings { threads, hash_mib: 512, ..Settings::default() }).unwrap();
    let mut total = Nodes::default();
    let mut time = 0.0;
    for line in text.lines().take(limit) {
        let (mut m, mut o) = (0u64, 0u64);
        let b = line.as_bytes();
        for i in 0..64 {
            match b[i] {
                b'X' => m |= 1 << i,
                b'O' => o |= 1 << i,
                _ => {}
            }
        }
        if b[65] == b'O' {
            std::mem::swap(&mut m, &mut o);
        }
        let p = Position::new(m, o).unwrap();
        let expected: i32 = line
            .split(';')
            .filter_map(|s| s.split(':').nth(1))
            .filter_map(|s| s.trim().parse::<i32>().ok())
            .max()
            .unwrap();
        engine.clear();
        let verbose = std::env::var("V").is_ok();
        let out = engine.search(p, &Request::best(Goal::EXACT), &StopFlag::new(), &mut |pr| {
            if verbose {
                let l = &pr.lines[0];
                println!("   {} {} {:?} {} {:?}", l.depth_text(), l.score, l.bound, pr.nodes, pr.elapsed)
            }
        });
        let l = &out.lines[0];
        total += out.nodes;
        time += out.elapsed.as_secs_f64();
        let pv: Vec<String> = l.pv.iter().map(ToString::to_string).collect();
        let mut end = p;
        for &mv in &l.pv {
            end = end.play(mv).unwrap();
        }
        let ok = end.is_over() && end.final_score() * if l.pv.len() % 2 == 0 { 1 } else { -1 } == expected;
        println!(
            "{} e{} {:+} exp {:+} {} nodes {} searched {} {:.3}s {:.1}M/s pv {} {}",
            if l.discs() == expected { "ok " } else { "BAD" },
            p.empties(),
            l.discs(),
            expected,
            l.mv,
            out.nodes.total,
            out.nodes.searched,
            out.elapsed.as_secs_f64(),
            out.nodes.total as f64 / 1e6 / out.elapsed.as_secs_f64(),
            if ok { "ok" } else { "pvBAD" },
            pv.len()
        );
    }
    println!(
        "total {} searched {} {:.2}s {:.1}M/s",
        total.total,
        total.searched,
        time,
        total.total as f64 / 1e6 / time
    );
}
