//! How busy the machine is with other things, from the kernel's own accounts; nothing where there are none.

/// Processor time so far, in ticks.
#[derive(Debug, Clone, Copy)]
pub struct Busy {
    /// Of all cores, idle or not.
    all: f64,
    /// Not idle.
    used: f64,
    /// By this process and its children.
    own: f64,
}

impl Busy {
    /// Now.
    pub fn now() -> Option<Busy> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let (all, used) = of_cores(&stat)?;
        Some(Busy { all, used, own: of_process(&std::fs::read_to_string("/proc/self/stat").ok()?)? })
    }

    /// Share of the machine's time that others have used since.
    pub fn others_since(self) -> Option<f64> {
        let now = Busy::now()?;
        let all = now.all - self.all;
        let others = (now.used - self.used) - (now.own - self.own);
        (all > 0.0).then(|| (others / all).max(0.0))
    }
}

/// Load over the last minute.
pub fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// All and used ticks of `cpu user nice system idle iowait irq softirq steal …`.
fn of_cores(stat: &str) -> Option<(f64, f64)> {
    let line = stat.lines().find_map(|l| l.strip_prefix("cpu "))?;
    let ticks: Vec<f64> = line.split_whitespace().take(8).filter_map(|t| t.parse().ok()).collect();
    let (all, idle) = (ticks.iter().sum::<f64>(), ticks.get(3)? + ticks.get(4)?);
    Some((all, all - idle))
}

/// Own and waited-for children's ticks: fields 14 to 17, counted behind the name in brackets.
fn of_process(stat: &str) -> Option<f64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    fields.get(11..15)?.iter().map(|t| t.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_read_as_the_kernel_writes_them() {
        assert_eq!(of_cores("cpu  10 2 3 80 5 1 0 4 0 0\ncpu0 1 1 1 1"), Some((105.0, 20.0)));
        let line = "7 (a) b) S 1 7 7 0 -1 4 9 9 9 9 100 20 3 4 20 0 2 0 5";
        assert_eq!(of_process(line), Some(127.0));
        assert_eq!((of_cores("nothing"), of_process("nothing")), (None, None));
    }
}
