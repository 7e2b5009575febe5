/**
 * Decides whether a history of concurrent operations is linearizable: whether each of them can have happened at one
 * moment between its call and its return, in an order that a sequential model allows. The algorithm is that of Wing and
 * Gong with the memory of Lowe: a depth-first search that tries no pair of (operations done, state) twice.
 */

/** What the system does where one operation follows another. All of it is pure. */
export interface SequentialModel<State, Input, Output> {
  readonly initial: State;
  /**
   * The state after an operation with this output; undefined where the model cannot have answered so.
   * An output of undefined is unknown: the state after whatever the operation does in this one.
   */
  step(state: State, input: Input, output: Output | undefined): State | undefined;
  /** Equal texts are equal states. */
  textOf(state: State): string;
}

/** One operation of a client. Times are places in one order of all events: no two of them are equal. */
export interface Operation<Input, Output> {
  readonly input: Input;
  /** Undefined where the client does not know it. Then it may have happened at any time after its call, or never. */
  readonly output: Output | undefined;
  readonly calledAt: number;
  /** Undefined where there was no answer. */
  readonly returnedAt: number | undefined;
}

export interface Verdict<Input, Output> {
  readonly isLinearizable: boolean;
  /** The longest order that was found; a whole one where the history is linearizable. */
  readonly longest: readonly Operation<Input, Output>[];
  /** The operation that had to come next at the latest, and that none of the orders as long as `longest` allowed. */
  readonly stuckAt: Operation<Input, Output> | undefined;
}

/** A search that visits more is given up: a history like that proves nothing in useful time. */
const STATES_MAX = 2_000_000;

/** A call or a return in the list of all events, which operations leave and come back to as the search goes. */
interface Entry {
  /** Number of the operation. */
  readonly operation: number;
  readonly isCall: boolean;
  previous: Entry | undefined;
  next: Entry | undefined;
  /** Of a call with an answer: its return. */
  match: Entry | undefined;
}

/** Throws where the search takes too long to tell. */
export function checkLinearizable<State, Input, Output>(
  model: SequentialModel<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): Verdict<Input, Output> {
  return new Search(model, history).run();
}

/** The same for operations that fall into parts which do not concern each other; the verdict of the first bad part. */
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
  /** One bit an operation: whether it is in the order that is tried at the moment. */
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
      // Without an answer an operation has no return, so the list ends only behind the last one that has.
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

  /** Lets the operation happen next, unless the model forbids it or it was tried in the same situation. */
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
    // In the opposite order of their leaving, so that each finds its neighbours as it left them.
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

/** Notes the operations of concurrent clients in one process as they happen. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  private events = 0;

  /**
   * Carries one out and notes it. `work` resolves with undefined where its outcome is unknown, and rejects where it has
   * certainly done nothing; then it is no part of the history.
   */
  async perform(input: Input, work: () => Promise<Output | undefined>): Promise<Output | undefined> {
    const calledAt = ++this.events;
    const output = await work();
    const returnedAt = output === undefined ? undefined : ++this.events;
    this.operations.push({ input, output, calledAt, returnedAt });
    return output;
  }
}
