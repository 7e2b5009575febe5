import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { StartRefusal } from '../config/start-refusal.js';
import { chosenGroups } from './chosen-groups.js';
import { TradepostModule } from './tradepost-module.js';

@TradepostModule({ name: 'ground' })
class Ground {}

@TradepostModule({ name: 'shelf', imports: [Ground] })
class Shelf {}

@Module({ imports: [Shelf] })
class Inventory {}

@TradepostModule({ name: 'shop', imports: [Inventory] })
class Shop {}

@TradepostModule({ name: 'street', imports: [Shop] })
class Street {}

const groups = [Ground, Shelf, Shop, Street];
const chosen = (...names: string[]): readonly Type[] => chosenGroups({ groups, always: [Ground] }, names);

describe('GROUPS', () => {
  it('are all where none is named', () => {
    expect(chosenGroups({ groups, always: [Ground] }, undefined)).toEqual(groups);
  });

  it('are those that are named, in their own order, and what none can be without', () => {
    expect(chosen('shop', 'shelf')).toEqual([Ground, Shelf, Shop]);
    expect(chosen('shelf')).toEqual([Ground, Shelf]);
    expect(chosen('ground')).toEqual([Ground]);
  });

  it.each([
    [['shop'], 'GROUPS: shop needs shelf.'],
    [['street'], 'GROUPS: street needs shelf, shop.'],
    [['street', 'shelf'], 'GROUPS: street needs shop.'],
    [['shelf', 'shops'], 'GROUPS: there is no group "shops"; there are shelf, shop, street.'],
  ])('refuse %s', (names, line) => {
    expect(() => chosen(...names)).toThrow(StartRefusal);
    expect(() => chosen(...names)).toThrow(expect.objectContaining({ message: line }));
  });
});
