import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { Figure } from './figures.js';

const COLUMNS = ['Figure', 'Measured', 'Goal', '', 'From'] as const;

/** The figures as a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
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

/** Writes the table with what it was measured on. */
export async function writeResults(
  path: string,
  figures: readonly Figure[],
  databaseVersion: string,
): Promise<void> {
  const [cpu] = cpus();
  const text = `# Bench results

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}. Every ratio is the median over short
rounds that its two sides ran in turns, in one process each, load generator and database beside them on the
same machine: ${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB;
Node ${process.versions.node}, PostgreSQL ${databaseVersion} with fsync on.

${tableOf(figures)}
`;
  await writeFile(path, text);
}
