/**
 * Owns the default limits of a run. The page needs the default limits because a trace omits limits that are
 * equal to them.
 */

export const LIMITS = {
  wall_seconds: 8,
  cpu_seconds: 5,
  memory_bytes: 1073741824,
  output_bytes: 65536,
  source_bytes: 262144,
  tmp_bytes: 16777216,
  threads: 64,
  statements: 20000,
  steps: 100000,
  trace_bytes: 33554432,
  cells: 256,
};
