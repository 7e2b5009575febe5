import type { Owner } from './owner.js';

/**
 * What waits, in turns: round robin between the groups of owners, within a group between what is in it, and of one owner
 * in the order in which it came. So nobody is passed over twice while somebody else is served.
 */
export class Turns<Item extends object> {
  private readonly root = new Branch<Item>();

  get size(): number {
    return this.root.size;
  }

  sizeOf(owner: Owner): number {
    return this.root.sizeOf(owner);
  }

  add(owner: Owner, item: Item): void {
    this.root.add(owner, item);
  }

  /** Takes the item whose turn it is. An owner that may not run now keeps its turn. */
  next(mayRun: (ownerName: string) => boolean = () => true): Item | undefined {
    return this.root.next(mayRun);
  }

  /**
   * Makes room for one more of an owner: takes the last item of whoever has the most. Undefined where nobody has more
   * than this owner would have.
   */
  displaceFor(owner: Owner): Item | undefined {
    return this.root.displaceFor(owner);
  }
}

/** A group, or at the end of its path an owner, as long as anything of it waits. */
class Branch<Item extends object> {
  /** Items in it, however deep. */
  size = 0;
  /** Who is next comes first. */
  private readonly branches = new Map<string, Branch<Item>>();
  private readonly items: Item[] = [];

  sizeOf(owner: Owner, depth = 0): number {
    const name = owner[depth];
    return name === undefined ? this.size : (this.branches.get(name)?.sizeOf(owner, depth + 1) ?? 0);
  }

  add(owner: Owner, item: Item, depth = 0): void {
    this.size++;
    const name = owner[depth];
    if (name === undefined) {
      this.items.push(item);
      return;
    }
    let branch = this.branches.get(name);
    if (branch === undefined) this.branches.set(name, (branch = new Branch()));
    branch.add(owner, item, depth + 1);
  }

  next(mayRun: (ownerName: string) => boolean, ownName = ''): Item | undefined {
    if (this.items.length > 0) {
      if (!mayRun(ownName)) return undefined;
      this.size--;
      return this.items.shift();
    }
    for (const [name, branch] of this.branches) {
      const item = branch.next(mayRun, name);
      if (item === undefined) continue;
      this.size--;
      this.branches.delete(name);
      if (branch.size > 0) this.branches.set(name, branch);
      return item;
    }
    return undefined;
  }

  displaceFor(owner: Owner, depth = 0): Item | undefined {
    const name = owner[depth];
    if (name === undefined) return undefined;
    const own = this.branches.get(name);
    const [, largest] = this.largest();
    const isOthers = largest.size > (own?.size ?? 0) + 1;
    const item = isOthers ? largest.takeLast() : own?.displaceFor(owner, depth + 1);
    if (item !== undefined) this.size--;
    return item;
  }

  private takeLast(): Item {
    this.size--;
    const own = this.items.pop();
    if (own !== undefined) return own;
    const [name, largest] = this.largest();
    const item = largest.takeLast();
    if (largest.size === 0) this.branches.delete(name);
    return item;
  }

  private largest(): [string, Branch<Item>] {
    let found: [string, Branch<Item>] | undefined;
    for (const each of this.branches) if (found === undefined || each[1].size > found[1].size) found = each;
    return found ?? ['', new Branch()];
  }
}
