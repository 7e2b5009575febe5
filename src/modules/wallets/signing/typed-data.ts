import { hashTypedData, isAddress, type Hex } from 'viem';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';
import {
  ATOMIC_TYPE,
  IDENTIFIER,
  integerTypeOf,
  parseFieldType,
  bytesTypeOf,
  type FieldType,
} from './field-type.js';

/** One member of a struct. */
interface Field {
  readonly name: string;
  readonly text: string;
  readonly type: FieldType;
}

type Structs = ReadonlyMap<string, readonly Field[]>;
type Values = Readonly<Record<string, unknown>>;

/** A fully validated message. Numbers are `bigint`, bytes and addresses 0x-hex. */
export interface TypedData {
  readonly primaryType: string;
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly domain: Values;
  readonly message: Values;
  /** keccak256 of 0x1901, the domain's and the message's hash. */
  readonly digest: Hex;
}

const MEMBERS = ['types', 'primaryType', 'domain', 'message'];
const DOMAIN_TYPE = 'EIP712Domain';

/** The members that a domain may have, in the order in which EIP-712 has them. */
const DOMAIN_FIELDS: readonly (readonly [name: string, type: string])[] = [
  ['name', 'string'],
  ['version', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
  ['salt', 'bytes32'],
];

const TYPES_MAX = 64;
const FIELDS_MAX = 128;
/** Hashing this many takes tens of milliseconds, during which the event loop is blocked. */
const VALUES_MAX = 2_000;
/** Every struct of the message is hashed with the text of its type: what may be hashed of those altogether. */
const TYPE_CHARACTERS_HASHED_MAX = 250_000;
const ERRORS_TOLD_MAX = 20;

/** Stops the validation after too many errors. */
class EnoughErrors extends Error {}

/**
 * Checks typed data of EIP-712 and makes its digest. Nothing is guessed: types must be known and not refer to
 * themselves, values must be there, in range and of their type, and there must be no others.
 * Throws `validation_failed` (400) with the path of every value that is wrong, under `root`.
 */
export function parseTypedData(input: unknown, root: string): TypedData {
  const reader = new TypedDataReader();
  let data: Omit<TypedData, 'digest'> | undefined;
  try {
    data = reader.read(input, root);
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error;
  }
  if (data === undefined || reader.errors.length > 0) throw ApiError.validation(reader.errors);
  return { ...data, digest: hashTypedData(data as Parameters<typeof hashTypedData>[0]) };
}

class TypedDataReader {
  readonly errors: FieldError[] = [];
  private values = 0;
  private typeCharactersHashed = 0;

  /** `undefined` where the rest cannot be judged because of an error in what it builds on. */
  read(input: unknown, root: string): Omit<TypedData, 'digest'> | undefined {
    const members = this.object(input, root);
    if (!members) return undefined;
    for (const name of Object.keys(members)) {
      if (!MEMBERS.includes(name)) this.fail(`${root}.${name}`, 'must not be there');
    }
    const structs = this.readTypes(members['types'], `${root}.types`);
    if (!structs || this.errors.length > 0) return undefined;
    const domain = this.readDomain(members['domain'], structs, `${root}.domain`);
    const { primaryType } = members;
    if (typeof primaryType !== 'string' || primaryType === DOMAIN_TYPE || !structs.has(primaryType)) {
      this.fail(`${root}.primaryType`, 'must be one of the types');
      return undefined;
    }
    const message = this.readStruct(members['message'], primaryType, structs, `${root}.message`);
    if (!domain || !message) return undefined;
    return {
      primaryType,
      domain: domain.values,
      message,
      types: Object.fromEntries(
        [...structs, [DOMAIN_TYPE, domain.fields] as const].map(([name, fields]) => [
          name,
          fields.map((field) => ({ name: field.name, type: field.text })),
        ]),
      ),
    };
  }

  private readTypes(input: unknown, path: string): Structs | undefined {
    const types = this.object(input, path);
    if (!types) return undefined;
    const names = Object.keys(types);
    if (names.length > TYPES_MAX) {
      this.fail(path, `must not have more than ${TYPES_MAX} types`);
      return undefined;
    }
    const structs = new Map<string, readonly Field[]>();
    for (const name of names) {
      if (!IDENTIFIER.test(name) || ATOMIC_TYPE.test(name)) {
        this.fail(`${path}.${name}`, 'must be named by letters and digits, and not like a built-in type');
      } else {
        structs.set(name, this.readFields(types[name], name, names, `${path}.${name}`));
      }
    }
    for (const name of structs.keys()) {
      if (refersToItself(name, structs)) this.fail(`${path}.${name}`, 'must not contain itself');
    }
    return structs;
  }

  private readFields(input: unknown, struct: string, structs: readonly string[], path: string): Field[] {
    const fields: Field[] = [];
    if (!Array.isArray(input) || input.length === 0 || input.length > FIELDS_MAX) {
      this.fail(path, `must be a list of 1 to ${FIELDS_MAX} fields`);
      return fields;
    }
    input.forEach((each: unknown, i) => {
      const at = `${path}.${i}`;
      const field = this.object(each, at);
      if (!field) return;
      for (const name of Object.keys(field)) {
        if (name !== 'name' && name !== 'type') this.fail(`${at}.${name}`, 'must not be there');
      }
      const { name, type: text } = field;
      if (typeof name !== 'string' || !IDENTIFIER.test(name) || fields.some((one) => one.name === name)) {
        this.fail(`${at}.name`, 'must be letters and digits, and the only one of its name');
        return;
      }
      const type = typeof text === 'string' ? parseFieldType(text) : undefined;
      if (
        !type ||
        !(ATOMIC_TYPE.test(type.base) || (structs.includes(type.base) && type.base !== DOMAIN_TYPE))
      ) {
        this.fail(`${at}.type`, 'must be a type that is built in or declared');
        return;
      }
      fields.push({ name, text: text as string, type });
    });
    return struct === DOMAIN_TYPE ? this.checkDomainType(fields, path) : fields;
  }

  private checkDomainType(fields: Field[], path: string): Field[] {
    const standard = DOMAIN_FIELDS.filter(([name]) => fields.some((field) => field.name === name));
    const declared = fields.map((field) => `${field.text} ${field.name}`).join();
    if (declared !== standard.map(([name, type]) => `${type} ${name}`).join()) {
      this.fail(
        path,
        `must be of ${DOMAIN_FIELDS.map(([name, type]) => `${type} ${name}`).join(', ')}, in this order`,
      );
    }
    return fields;
  }

  private readDomain(
    input: unknown,
    structs: Structs,
    path: string,
  ): { readonly fields: readonly Field[]; readonly values: Values } | undefined {
    const domain = this.object(input, path);
    if (!domain) return undefined;
    const fields = structs.get(DOMAIN_TYPE) ?? domainFieldsOf(domain);
    if (fields.length === 0) {
      this.fail(path, `must have at least one of ${DOMAIN_FIELDS.map(([name]) => name).join(', ')}`);
      return undefined;
    }
    const values = this.readStruct(domain, DOMAIN_TYPE, new Map([[DOMAIN_TYPE, fields]]), path);
    return values && { fields, values };
  }

  private readStruct(input: unknown, name: string, structs: Structs, path: string): Values | undefined {
    const values = this.object(input, path);
    if (!values) return undefined;
    const fields = structs.get(name) ?? [];
    this.countTypeText(name, structs, path);
    for (const key of Object.keys(values)) {
      if (!fields.some((field) => field.name === key))
        this.fail(`${path}.${key}`, `must not be there: ${name} has no such field`);
    }
    return Object.fromEntries(
      fields.map((field) => {
        const at = `${path}.${field.name}`;
        if (!Object.hasOwn(values, field.name)) {
          this.fail(at, `must be there: ${name} has it, as ${field.text}`);
          return [field.name, undefined];
        }
        return [field.name, this.readValue(values[field.name], field.type, structs, at)];
      }),
    );
  }

  private readValue(input: unknown, type: FieldType, structs: Structs, path: string): unknown {
    if (++this.values > VALUES_MAX) {
      this.fail(path, `must not be there: more than ${VALUES_MAX} values are never signed`);
      throw new EnoughErrors();
    }
    const [length, ...inner] = type.lengths;
    if (length !== undefined) {
      if (!Array.isArray(input) || (length !== 'any' && input.length !== length)) {
        this.fail(path, length === 'any' ? 'must be a list' : `must be a list of ${length}`);
        return undefined;
      }
      return input.map((item: unknown, i) =>
        this.readValue(item, { base: type.base, lengths: inner }, structs, `${path}.${i}`),
      );
    }
    if (structs.has(type.base)) return this.readStruct(input, type.base, structs, path);
    return this.readAtom(input, type.base, path);
  }

  private readAtom(input: unknown, type: string, path: string): unknown {
    switch (type) {
      case 'string':
        return typeof input === 'string' ? input : this.fail(path, 'must be a text');
      case 'bool':
        return typeof input === 'boolean' ? input : this.fail(path, 'must be true or false');
      case 'address':
        return typeof input === 'string' && isAddress(input)
          ? input
          : this.fail(path, 'must be an address: 0x and 40 hex digits, in checksum case or lower case');
    }
    const integer = integerTypeOf(type);
    if (integer) {
      const value = integerOf(input);
      if (value === undefined) {
        return this.fail(
          path,
          'must be a whole number: decimal or 0x-hex digits in a string, or a safe integer',
        );
      }
      return value >= integer.min && value <= integer.max
        ? value
        : this.fail(path, `must be in the range of ${type}`);
    }
    const bytes = bytesTypeOf(type);
    const isHex = typeof input === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(input);
    if (!isHex) return this.fail(path, 'must be bytes: 0x and an even number of hex digits');
    const sizeBytes = input.length / 2 - 1;
    return bytes === 'any' || bytes === sizeBytes
      ? input
      : this.fail(path, `must be ${bytes} bytes, not ${sizeBytes}`);
  }

  private countTypeText(name: string, structs: Structs, path: string): void {
    this.typeCharactersHashed += lengthOfTypeText(name, structs);
    if (this.typeCharactersHashed > TYPE_CHARACTERS_HASHED_MAX) {
      this.fail(path, 'must not be there: so many structs of so large types are never signed');
      throw new EnoughErrors();
    }
  }

  private object(input: unknown, path: string): Readonly<Record<string, unknown>> | undefined {
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return input as Record<string, unknown>;
    this.fail(path, 'must be an object');
    return undefined;
  }

  /** Answers `undefined`, which stands where the value would. */
  private fail(field: string, problem: string): unknown {
    this.errors.push({ field, message: `${field} ${problem}` });
    if (this.errors.length >= ERRORS_TOLD_MAX) throw new EnoughErrors();
    return undefined;
  }
}

/** The fields of a domain whose type was not declared, as its members say. */
function domainFieldsOf(domain: Values): Field[] {
  return DOMAIN_FIELDS.filter(([name]) => Object.hasOwn(domain, name)).map(([name, text]) => ({
    name,
    text,
    type: { base: text, lengths: [] },
  }));
}

/** The structs that a struct is made of, itself not counted unless it contains itself. */
function partsOf(name: string, structs: Structs): ReadonlySet<string> {
  const parts = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { type } of structs.get(next) ?? []) {
      if (!structs.has(type.base) || parts.has(type.base)) continue;
      parts.add(type.base);
      waiting.push(type.base);
    }
  }
  return parts;
}

function refersToItself(name: string, structs: Structs): boolean {
  return partsOf(name, structs).has(name);
}

/** About as many characters as EIP-712's `encodeType` has of a struct. */
function lengthOfTypeText(name: string, structs: Structs): number {
  let characters = 0;
  for (const part of [name, ...partsOf(name, structs)]) {
    characters += part.length + 2;
    for (const field of structs.get(part) ?? []) characters += field.name.length + field.text.length + 2;
  }
  return characters;
}

function integerOf(input: unknown): bigint | undefined {
  if (typeof input === 'number') return Number.isSafeInteger(input) ? BigInt(input) : undefined;
  if (typeof input !== 'string') return undefined;
  return /^(?:0|-?[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$/.test(input) ? BigInt(input) : undefined;
}
