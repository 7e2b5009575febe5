import { Injectable, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { WebhookEventType } from './webhook-event-type.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- types of events with any data
export type AnyEventType = WebhookEventType<any>;

/** The types of events of one module, as one of its providers. */
class DeclaredEventTypes {
  constructor(readonly types: readonly AnyEventType[]) {}
}

/** Puts a group's types of events into the catalogue: list it among the providers of the group's module. */
export function webhookEventTypes(...types: AnyEventType[]): Provider {
  return { provide: Symbol('WEBHOOK_EVENT_TYPES'), useValue: new DeclaredEventTypes(types) };
}

/** All types of events that the modules of an application declare, in the order of their names. */
export function declaredEventTypes(modules: ModulesContainer): readonly AnyEventType[] {
  const types = [...modules.values()]
    .flatMap(({ providers }) => [...providers.values()])
    .flatMap(({ instance }) => (instance instanceof DeclaredEventTypes ? instance.types : []));
  types.sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = types.find(({ name }, i) => name === types[i + 1]?.name);
  if (twice !== undefined) throw new Error(`Two modules declare the webhook event ${twice.name}.`);
  return types;
}

/** Every type of event that endpoints can be registered for. */
@Injectable()
export class WebhookCatalogue {
  private types: ReadonlyMap<string, AnyEventType> | undefined;

  constructor(private readonly modules: ModulesContainer) {}

  find(name: string): AnyEventType | undefined {
    return this.byName().get(name);
  }

  names(): readonly string[] {
    return [...this.byName().keys()];
  }

  /** Read when first asked for: while modules are being put together, some are still missing. */
  private byName(): ReadonlyMap<string, AnyEventType> {
    this.types ??= new Map(declaredEventTypes(this.modules).map((type) => [type.name, type]));
    return this.types;
  }
}
