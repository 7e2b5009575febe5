/**
 * Decides whether a history of concurrent operations is linearizable: whether each of them can have happened at one
 * moment between its call and its return, in an order that a sequential model allows. The algorithm is that of Wing and
 * Gong with the memory of Lowe: a depth-first search that tries no pair of (operations done, state) twice.
 */

/** The sequential behaviour of the system. All functions are pure. */
export interface SequentialModel<State, Input, Output> {
  readonly initial: State;
  /**
   * The state after an operation with this output; undefined if the model cannot produce that output. An output of
   * undefined is unknown: returns the state that the operation leads to.
   */
  step(state: State, input: Input, output: Output | undefined): State | undefined;
  /** Equal texts are equal states. */
  textOf(state: State): string;
}

/** One operation of a client. Times are positions in a total order of all events: no two are equal. */
export interface Operation<Input, Output> {
  readonly input: Input;
  /** Undefined if the client does not know it. Then it may have happened at any time after its call, or never. */
  readonly output: Output | undefined;
  readonly calledAt: number;
  /** Undefined if there was no answer. */
  readonly returnedAt: number | undefined;
}

export interface Verdict<Input, Output> {
  readonly isLinearizable: boolean;
  /** The longest order found; it is complete if the history is linearizable. */
  readonly longest: readonly Operation<Input, Output>[];
  /** The operation that had to come next at the latest, but that no order as long as `longest` allowed. */
  readonly stuckAt: Operation<Input, Output> | undefined;
}

/** The search gives up after this many states: such a history proves nothing in useful time. */
const STATES_MAX = 2_000_000;

/** A call or a return in the list of all events; the search removes and restores operations. */
interface Entry {
  /** The operation's number. */
  readonly operation: number;
  readonly isCall: boolean;
  previous: Entry | undefined;
  next: Entry | undefined;
  /** For a call with an answer: its return. */
  match: Entry | undefined;
}

/** Throws if the search takes too long. */
export function checkLinearizable<State, Input, Output>(
  model: SequentialModel<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): Verdict<Input, Output> {
  return new Search(model, history).run();
}

/** The same for operations in independent parts; returns the verdict of the first bad part. */
export function checkLinearizableParts<State, Input, Output>(
  model: SequentialModel<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
  partOf: (input: Input) => string,
): Verdict<Input, Output> {
  const parts = new Map<string, Operation<Input, Output>[]>();
  for (const operation of history) {
    const part = partOf(operation.input);
    parts.set(part, [...(parts.get(part) ?? []), operation]);
  }
  const longest: Operation<Input, Output>[] = [];
  for (const part of parts.values()) {
    const verdict = checkLinearizable(model, part);
    if (!verdict.isLinearizable) return verdict;
    longest.push(...verdict.longest);
  }
  return { isLinearizable: true, longest, stuckAt: undefined };
}

class Search<State, Input, Output> {
  private readonly head: Entry = newEntry(-1, true);
  private readonly tried = new Set<string>();
  /** One bit per operation: whether the current order contains it. */
  private readonly done: Uint8Array;
  private readonly order: { readonly call: Entry; readonly before: State }[] = [];
  private state: State;
  private returnsLeft = 0;
  private longest: readonly Operation<Input, Output>[] = [];
  private stuckAt: Operation<Input, Output> | undefined;

  constructor(
    private readonly model: SequentialModel<State, Input, Output>,
    private readonly history: readonly Operation<Input, Output>[],
  ) {
    this.state = model.initial;
    this.done = new Uint8Array(Math.ceil(history.length / 8));
    this.listEvents();
  }

  run(): Verdict<Input, Output> {
    let entry = this.head.next;
    while (this.returnsLeft > 0) {
      // An operation without an answer has no return, so the list ends after the last one with a return.
      const { isCall } = entry!;
      if (isCall && this.take(entry!)) entry = this.head.next;
      else if (isCall) entry = entry!.next;
      else {
        this.noteStuck(entry!);
        const undone = this.takeBack();
        if (undone === undefined)
          return { isLinearizable: false, longest: this.longest, stuckAt: this.stuckAt };
        entry = undone.next;
      }
    }
    return { isLinearizable: true, longest: this.orderSoFar(), stuckAt: undefined };
  }

  private listEvents(): void {
    const events: { readonly at: number; readonly entry: Entry }[] = [];
    for (const [number, { calledAt, returnedAt }] of this.history.entries()) {
      const call = newEntry(number, true);
      events.push({ at: calledAt, entry: call });
      if (returnedAt === undefined) continue;
      call.match = newEntry(number, false);
      events.push({ at: returnedAt, entry: call.match });
      this.returnsLeft++;
    }
    let last = this.head;
    for (const { entry } of events.sort((one, other) => one.at - other.at)) {
      last.next = entry;
      entry.previous = last;
      last = entry;
    }
  }

  /** Makes the operation the next one, unless the model forbids it or the same situation was tried before. */
  private take(call: Entry): boolean {
    const { input, output } = this.history[call.operation]!;
    const after = this.model.step(this.state, input, output);
    if (after === undefined) return false;
    this.flip(call.operation);
    const situation = `${Buffer.from(this.done.buffer).toString('latin1')}${this.model.textOf(after)}`;
    if (this.tried.has(situation)) {
      this.flip(call.operation);
      return false;
    }
    if (this.tried.size >= STATES_MAX) throw new Error(`undecided after ${STATES_MAX} states`);
    this.tried.add(situation);
    this.order.push({ call, before: this.state });
    this.state = after;
    unlink(call);
    if (call.match === undefined) return true;
    unlink(call.match);
    this.returnsLeft--;
    return true;
  }

  private takeBack(): Entry | undefined {
    const last = this.order.pop();
    if (last === undefined) return undefined;
    const { call, before } = last;
    this.state = before;
    this.flip(call.operation);
    // Restored in reverse order of removal, so that each finds its former neighbours.
    if (call.match !== undefined) {
      relink(call.match);
      this.returnsLeft++;
    }
    relink(call);
    return call;
  }

  private flip(operation: number): void {
    this.done[operation >> 3]! ^= 1 << (operation & 7);
  }

  private noteStuck(entry: Entry): void {
    if (this.stuckAt !== undefined && this.order.length <= this.longest.length) return;
    this.longest = this.orderSoFar();
    this.stuckAt = this.history[entry.operation]!;
  }

  private orderSoFar(): Operation<Input, Output>[] {
    return this.order.map(({ call }) => this.history[call.operation]!);
  }
}

function newEntry(operation: number, isCall: boolean): Entry {
  return { operation, isCall, previous: undefined, next: undefined, match: undefined };
}

function unlink({ previous, next }: Entry): void {
  previous!.next = next;
  if (next !== undefined) next.previous = previous;
}

function relink(entry: Entry): void {
  entry.previous!.next = entry;
  if (entry.next !== undefined) entry.next.previous = entry;
}

/** Records the operations of concurrent clients in one process. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  private events = 0;

  /**
   * Performs and records an operation. `work` resolves with undefined if its outcome is unknown, and rejects if it
   * certainly had no effect; then it is not recorded.
   */
  async perform(input: Input, work: () => Promise<Output | undefined>): Promise<Output | undefined> {
    const calledAt = ++this.events;
    const output = await work();
    const returnedAt = output === undefined ? undefined : ++this.events;
    this.operations.push({ input, output, calledAt, returnedAt });
    return output;
  }
}
