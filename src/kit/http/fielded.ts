/** What plugins may declare fields on. */
export const FIELDED = ['users', 'accounts', 'orders', 'markets', 'messages'] as const;
export type Fielded = (typeof FIELDED)[number];

/**
 * Whom a field is for. `owner`: whoever may see or change the thing itself, operators included; a market, everybody sees.
 * `operators`: operators alone. `plugin`: nobody by any route.
 */
export const FIELD_AUDIENCES = ['owner', 'operators', 'plugin'] as const;
export type FieldAudience = (typeof FIELD_AUDIENCES)[number];

/** Who asks: a customer, or an operator by an operators' route. */
export type FieldReader = Exclude<FieldAudience, 'plugin'>;

/** Whose fields something has, and for whom. */
export interface FieldsOf {
  readonly on: Fielded;
  readonly reader: FieldReader;
}
