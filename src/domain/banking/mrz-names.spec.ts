import { describe, expect, it } from 'vitest';
import { compareWithZone } from './mrz-names.js';

const zone = (
  names: string,
  { cut = false } = {},
): { primaryName: string[]; secondaryName: string[]; nameMayBeCut: boolean } => {
  const [primary = '', secondary = ''] = names.split('<<');
  const parts = (text: string): string[] => text.split('<').filter((part) => part !== '');
  return { primaryName: parts(primary), secondaryName: parts(secondary), nameMayBeCut: cut };
};

describe('compareWithZone', () => {
  it.each([
    ['Anna Maria', 'Eriksson', 'ERIKSSON<<ANNA<MARIA'],
    ['anna maria', 'ERIKSSON', 'ERIKSSON<<ANNA<MARIA'],
    ['Anna', 'Eriksson', 'ERIKSSON<<ANNA<MARIA'],
    ['Jürgen', 'Müller', 'MUELLER<<JUERGEN'],
    ['Jürgen', 'Müller', 'MULLER<<JUERGEN'],
    ['Jurgen', 'Mu\u0308ller', 'MUELLER<<JURGEN'],
    ['Märta', 'Åström', 'AASTROEM<<MAERTA'],
    ['Søren', 'Kjærgård', 'KJAERGAARD<<SOEREN'],
    ['Björk', 'Guðmundsdóttir', 'GUDMUNDSDOTTIR<<BJOERK'],
    ['Þór', 'Ægisson', 'AEGISSON<<THOR'],
    ['Groß', 'Weiß', 'WEISS<<GROSS'],
    ['Łukasz', 'Żółć', 'ZOLC<<LUKASZ'],
    ['Iñigo', 'Núñez', 'NUNEZ<<INIGO'],
    ['Iñigo', 'Núñez', 'NUNXXEZ<<INIGO'],
    ['Ğülşen', 'İnan', 'INAN<<GUELSEN'],
    ['Nguyễn', 'Phạm', 'PHAM<<NGUYEN'],
    ['Оксана', 'Щербакова', 'SHCHERBAKOVA<<OKSANA'],
    ['Юлия', 'Жукова', 'ZHUKOVA<<IULIIA'],
    ['Eoin', "O'Connor", 'OCONNOR<<EOIN'],
    ['Eoin', 'O’Connor', 'O<CONNOR<<EOIN'],
    ['Jean-Luc', 'de La Tour', 'DE<LA<TOUR<<JEAN<LUC'],
    ['Jeanluc', 'Smith-Jones', 'SMITH<JONES<<JEANLUC'],
    ['Martin Luther', 'King Jr.', 'KING<JR<<MARTIN<LUTHER'],
    ['Suharto', 'Suharto', 'SUHARTO'],
    ['Arkfreith', 'Mono', 'ARKFREITH<MONO'],
  ])('knows %s %s as %s', (first, last, names) => {
    expect(compareWithZone(first, last, zone(names))).toBe('same');
  });

  it.each([
    ['Anna', 'Erikson', 'ERIKSSON<<ANNA'],
    ['Ann', 'Eriksson', 'ERIKSSON<<ANNA'],
    ['Maria', 'Eriksson', 'ERIKSSON<<ANNA<MARIA'],
    ['Eriksson', 'Anna', 'ERIKSSON<<ANNA'],
    ['Anna Maria Sofia', 'Eriksson', 'ERIKSSON<<ANNA<MARIA'],
    ['Jürgen', 'Müller', 'MILLER<<JUERGEN'],
    ['', 'Eriksson', 'ERIKSSON'.slice(1)],
  ])('tells %s %s from %s', (first, last, names) => {
    expect(compareWithZone(first, last, zone(names))).toBe('different');
  });

  it('takes names that the zone had no room for', () => {
    const names = 'PAPANDROPOULOUS<<JONATHON<ALEC<RI';
    expect(compareWithZone('Jonathon Alec Richard', 'Papandropoulous', zone(names, { cut: true }))).toBe(
      'same',
    );
    expect(compareWithZone('Jonathon Alec Richard', 'Papandropoulous', zone(names))).toBe('different');
    expect(compareWithZone('Jonathon Alec Simon', 'Papandropoulous', zone(names, { cut: true }))).toBe(
      'different',
    );
  });

  it.each(['王', 'محمد', 'Анна王'])('says that it cannot read %s', (name) => {
    expect(compareWithZone(name, 'Eriksson', zone('ERIKSSON<<ANNA'))).toBe('unreadable');
  });

  it('takes no longer for a name of many alternatives', () => {
    const name = 'ÜÖ'.repeat(50);
    expect(compareWithZone(name, name, zone(`${'UE'.repeat(100)}<<${'OE'.repeat(100)}`))).toBe('different');
  });
});
