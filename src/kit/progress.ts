import { SingleBar } from 'cli-progress';

const LINE_EVERY_SHARE = 0.1;

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** A bar on a terminal; elsewhere, where bars leave a mess in logs, a line every tenth of the way. */
export function showProgress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return new ProgressLines(label, total);
  const bar = new SingleBar({
    format: `${label} {bar} {percentage} % · {value}/{total} · {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  return bar;
}

class ProgressLines implements Progress {
  private nextAt = 0;

  constructor(
    private readonly label: string,
    private readonly total: number,
  ) {}

  update(done: number): void {
    if (done < this.nextAt) return;
    this.nextAt += this.total * LINE_EVERY_SHARE;
    process.stderr.write(`${this.label} ${Math.round((100 * done) / this.total)} %\n`);
  }

  stop(): void {
    // Lines need no end.
  }
}
