import fs from 'node:fs';
import { vi } from 'vitest';

export interface RecordedOutput {
  text(): string;
  stop(): void;
}

/** Captures the process' log output without showing it. */
export function recordStandardOutput(): RecordedOutput {
  const chunks: string[] = [];
  const write = fs.write.bind(fs) as (...args: unknown[]) => void;
  const spy = vi.spyOn(fs, 'write').mockImplementation((...args: unknown[]) => {
    const [fd, chunk] = args;
    if (fd !== 1) return write(...args);
    chunks.push(String(chunk));
    const done = args.at(-1) as (error: null, written: number) => void;
    setImmediate(done, null, Buffer.byteLength(String(chunk)));
  });
  return { text: () => chunks.join(''), stop: () => spy.mockRestore() };
}
