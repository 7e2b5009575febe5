/**
 * Settings for a small machine and many short transactions. They are passed on the command line, so that a new release
 * changes them without touching data folders.
 */
const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // Three processes, and a fourth while one is replaced.
  max_connections: '200',

  // An acknowledged order survives power loss. Turning any of these off gained nothing when measured.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  // After a crash, one system call instead of opening every file of the data folder.
  ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),

  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  wal_buffers: '16MB',
  wal_compression: 'off',
  // Checkpoints are rare: after each one, the first change of every page writes the whole page.
  checkpoint_timeout: '15min',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  random_page_cost: '1.1',
  // Short statements gain nothing from JIT, nor from parallel workers that take the writer's core.
  jit: 'off',
  max_parallel_workers_per_gather: '0',

  TimeZone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] %a ',
};

export function serverArguments(dataDir: string, socketDir: string): readonly string[] {
  const settings = Object.entries({ ...SERVER_SETTINGS, unix_socket_directories: socketDir });
  return ['-D', dataDir, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
