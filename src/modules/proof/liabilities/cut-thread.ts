import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { LiabilityReport, TakenCut } from './liability-report.js';
import { type CutHooks, type CutOrder, type CutProgress, takeCut } from './take-cut.js';

const WORKER = new URL('./cut-worker.js', import.meta.url);

type Message = { readonly progress: CutProgress } | { readonly cut: TakenCut };

/**
 * Takes a cut in a thread, so that hashing millions of leaves holds up nobody. Where the sources run as they are, as in
 * tests, there is no file to start one from, and it is taken here. Rejects where the signal aborts.
 */
export async function takeCutApart(order: CutOrder, hooks: CutHooks, signal: AbortSignal): Promise<void> {
  if (existsSync(fileURLToPath(WORKER))) await inThread(order, hooks, signal);
  else await takeCut(order, hooks);
}

async function inThread(
  order: CutOrder,
  { onProgress, report }: CutHooks,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(WORKER, { workerData: order });
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: Message) => {
        if ('progress' in message) onProgress(message.progress);
        else report(message.cut).then((signed: LiabilityReport) => worker.postMessage(signed), reject);
      });
      worker.once('error', reject);
      worker.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`the thread of the cut has ended with ${code}`)),
      );
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
