import { cpus, totalmem } from 'node:os';
import type { Figure } from './figures.js';

const COLUMNS = ['Figure', 'Measured', 'Goal', '', 'From'] as const;

/** The figures as a Markdown table. */
function tableOf(figures: readonly Figure[]): string {
  const rows = [
    COLUMNS,
    ...figures.map(({ what, measured, goal, isMet, basis }) => [
      what,
      measured,
      goal,
      isMet === undefined ? '' : isMet ? 'met' : 'MISSED',
      basis,
    ]),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length), 3));
  const lines = rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

export const PLAIN_TITLE = 'Without fees, without keys, with 32 accounts';

export interface ResultTable {
  /** Null for the figures of record. */
  readonly title: string | null;
  readonly figures: readonly Figure[];
}

/** The tables, with what they were measured on. */
export function resultsOf(tables: readonly ResultTable[], databaseVersion: string): string {
  const [cpu] = cpus();
  const parts = tables.map(({ title, figures }) => {
    const heading = title === null ? '' : `## ${title}\n\n`;
    return heading + tableOf(figures);
  });
  return `# Bench results

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}. Every ratio is the median over short
rounds that its two sides ran in turns, in one process each, load generator and database beside them on the
same machine: ${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB;
Node ${process.versions.node}, PostgreSQL ${databaseVersion} with fsync on. The markets have fees (maker 0.05 %, taker
0.1 %), a quarter of the orders carry a \`client_order_id\`, and 10,000 accounts trade, unless a table says otherwise.

${parts.join('\n\n')}
`;
}
