import { describe, expect, it } from 'vitest';
import { NameIndex, wordsOf, type ListedName } from './name-index.js';

const LISTED: readonly ListedName[] = [
  { uid: '1', name: 'BIN LADIN, Usama bin Muhammad bin Awad' },
  { uid: '1', name: 'BIN LADEN, Osama' },
  { uid: '2', name: 'GUZMAN LOERA, Joaquin' },
  { uid: '3', name: 'ХАЛИЛОВ, Алексей Сергеевич' },
  { uid: '4', name: 'AL-ZAWAHIRI, Ayman' },
  { uid: '5', name: 'KIM, Jong Un' },
  { uid: '6', name: 'MÜLLER-WEISS, Jürgen' },
  { uid: '7', name: 'LI, Wei' },
];
const index = new NameIndex(LISTED);
const found = (name: string): string[] => index.search(name, 88, 10).map(({ uid }) => uid);

describe('NameIndex', () => {
  it.each([
    ['Osama bin Laden', '1'],
    ['Usama Ladin', '1'],
    ['Ussama Binladen', '1'],
    ['OSAMA  BIN-LADEN', '1'],
    ['Laden Osama Bin', '1'],
    ['Joaquín Guzmán Loera', '2'],
    ['Joaquin Archivaldo Guzman Loera', '2'],
    ['Joaquin Guzman', '2'],
    ['Juaquin Gusman Loera', '2'],
    ['Alexey Khalilov', '3'],
    ['Aleksei Sergeevich Khalilov', '3'],
    ['Алексей Халилов', '3'],
    ['Ayman al Zawahiri', '4'],
    ['Aiman Alzawahiri', '4'],
    ["Ayman al-Zawahir'i", '4'],
    ['Kim Jong-un', '5'],
    ['Jong Un Kim', '5'],
    ['Kim Jongun', '5'],
    ['Jurgen Muller Weiss', '6'],
    ['Wei Li', '7'],
    ['Ｗｅｉ Ｌｉ', '7'],
  ])('finds %s', (name, uid) => {
    expect(found(name)[0]).toBe(uid);
  });

  it.each([
    'Anna Maria Eriksson',
    'Osama Hassan',
    'Muhammad Awad Hussein',
    'Joaquin Phoenix',
    'Kim Novak',
    'Wei Liu',
    'Li Na',
    'Alexey Navalny',
    'Jürgen Klopp',
    '',
    '---',
    '王',
  ])('leaves %s alone', (name) => {
    expect(found(name)).toEqual([]);
  });

  it('scores the same name 100, and others the less the more they differ', () => {
    const score = (name: string): number =>
      index.search(name, 0, 100).find(({ uid }) => uid === '2')?.score ?? 0;
    const scores = [
      'Joaquin Guzman Loera',
      'Joaquin Guzman Lorea',
      'Joakin Gusman Lorea',
      'Joakin Gusmao',
    ].map(score);
    expect(scores[0]).toBe(100);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(scores).size).toBe(4);
  });

  it('tells an entry once, with its best name', () => {
    expect(index.search('Osama Bin Laden', 80, 10).filter(({ uid }) => uid === '1')).toEqual([
      { uid: '1', score: 100 },
    ]);
    expect(index.search('Osama Bin Laden', 0, 1)).toHaveLength(1);
    expect(index.size).toBe(LISTED.length);
  });

  it('reads words of any script', () => {
    expect(wordsOf('  O’Connor-Smith, Ægir ')).toEqual(['OCONNOR', 'SMITH', 'AEGIR']);
    expect(wordsOf('Пётр')).toEqual(['PETR']);
    expect(wordsOf('🎉‮')).not.toContain('');
  });

  it('does not tire of long names', () => {
    expect(new NameIndex(LISTED).search('A '.repeat(5_000), 88, 10)).toEqual([]);
  });
});
