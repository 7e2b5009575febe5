/** Behind a balancer the public address comes first, and then the one to reach this process at. */
const READY_LINE = /Tradepost serves (?:\S+ \(listens at )?([^\s)"]+)/;

/** The address of a process that says in this line of its log that it is ready. */
export function readyUrlIn(line: string): string | undefined {
  return READY_LINE.exec(line)?.[1];
}
