import type { Agreement, ReplayReport } from './replay-flow.js';

const LABEL_WIDTH = 22;

/** The report as lines for people. */
export function describeReport(report: ReplayReport): string {
  const { orders, cancels, elapsedSeconds: seconds, latencyMs, trades, topOfBook, ledger } = report;
  const lines: [label: string, value: string][] = [
    ['flow', report.flow],
    ['market', report.marketId],
    ['sent', `${amount(orders)} orders and ${amount(cancels)} cancels in ${seconds.toFixed(1)} s`],
    ['rate', `${amount(orders / seconds)} orders/s, ${amount((orders + cancels) / seconds)} commands/s`],
    ['latency', `p50 ${latencyMs.p50.toFixed(1)} ms, p99 ${latencyMs.p99.toFixed(1)} ms`],
    ['trades made', amount(report.tradesMade)],
  ];
  if (trades.recorded > 0) lines.push(['trades reproduced', agreement(trades)]);
  if (topOfBook.recorded > 0) lines.push(['top of book agrees', agreement(topOfBook)]);
  if (report.refusals.size > 0) {
    const refusals = [...report.refusals].map(([code, orders]) => `${amount(orders)} ${code}`);
    lines.push(['orders refused', refusals.join(', ')]);
  }
  lines.push(['cancelled too late', `${amount(report.cancelsOfFinished)} (filled by then)`]);
  lines.push(['books balanced', ledger.balanced ? 'yes' : `NO: ${ledger.problems.join('; ')}`]);
  return lines.map(([label, value]) => `${label.padEnd(LABEL_WIDTH)}${value}\n`).join('');
}

function agreement({ recorded, reproduced }: Agreement): string {
  const percent = ((100 * reproduced) / recorded).toFixed(1);
  return `${amount(reproduced)} of ${amount(recorded)} (${percent} %)`;
}

function amount(figure: number): string {
  return Math.round(figure).toLocaleString('en-US');
}
