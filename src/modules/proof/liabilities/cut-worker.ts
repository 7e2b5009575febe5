/** Takes a cut in a thread of its own; the process that serves signs and tells. */
import { setPriority } from 'node:os';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { LiabilityReport } from './liability-report.js';
import { type CutOrder, takeCut } from './take-cut.js';

/** Where cores are short, orders go first: 0 would be as good as them, 19 the last. */
const NICENESS = 5;

const port = parentPort!;
// On Linux this is a property of the calling thread; elsewhere it would slow down the whole process.
if (process.platform === 'linux') setPriority(NICENESS);

await takeCut(workerData as CutOrder, {
  onProgress: (progress) => port.postMessage({ progress }),
  async report(cut) {
    port.postMessage({ cut });
    const [report] = (await once(port, 'message')) as [LiabilityReport];
    return report;
  },
});
