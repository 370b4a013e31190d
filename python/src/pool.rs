//! Thread pools by number of threads.
//!
//! The pool of a process does not survive a fork, as `multiprocessing` makes them: the child would wait for threads that it
//! does not have. So pools belong to a process, and a child makes its own.

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);

/// The pool with this many threads, 0 for as many as there are cores.
pub fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(pool.clone());
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(built.map_err(|e| PyRuntimeError::new_err(e.to_string()))?);
    pools.insert(key, pool.clone());
    Ok(pool)
}
