import type { AnyEventType } from './webhook-event-type.js';

/** Every type of event that endpoints can register for: all that modules declare, sorted by name. */
export class WebhookCatalogue {
  private readonly byName: ReadonlyMap<string, AnyEventType>;

  constructor(types: readonly AnyEventType[]) {
    const sorted = [...types].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.byName = new Map(sorted.map((type) => [type.name, type]));
  }

  find(name: string): AnyEventType | undefined {
    return this.byName.get(name);
  }

  names(): readonly string[] {
    return [...this.byName.keys()];
  }

  get types(): readonly AnyEventType[] {
    return [...this.byName.values()];
  }
}
