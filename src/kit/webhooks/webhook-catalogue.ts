import { Injectable, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { WebhookEventType } from './webhook-event-type.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- types of events with any data
export type AnyEventType = WebhookEventType<any>;

/** The types of events of one module, as one of its providers. */
class DeclaredEventTypes {
  constructor(readonly types: readonly AnyEventType[]) {}
}

/** Adds a group's types of events to the catalogue: list it among the providers of the group's module. */
export function webhookEventTypes(...types: AnyEventType[]): Provider {
  return { provide: Symbol('WEBHOOK_EVENT_TYPES'), useValue: new DeclaredEventTypes(types) };
}

/** All event types that the modules of an application declare. */
export function eventTypesOf(modules: ModulesContainer): AnyEventType[] {
  return [...modules.values()]
    .flatMap(({ providers }) => [...providers.values()])
    .flatMap(({ instance }) => (instance instanceof DeclaredEventTypes ? instance.types : []));
}

/** The same sorted by name. */
export function declaredEventTypes(modules: ModulesContainer): readonly AnyEventType[] {
  const types = eventTypesOf(modules);
  types.sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = types.find(({ name }, i) => name === types[i + 1]?.name);
  if (twice !== undefined) throw new Error(`Two modules declare the webhook event ${twice.name}.`);
  return types;
}

/** Every type of event that endpoints can register for. */
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

  /** Read at first use: while modules are being assembled, some are still missing. */
  private byName(): ReadonlyMap<string, AnyEventType> {
    this.types ??= new Map(declaredEventTypes(this.modules).map((type) => [type.name, type]));
    return this.types;
  }
}
