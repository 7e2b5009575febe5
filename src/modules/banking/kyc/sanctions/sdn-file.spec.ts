import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readOtherNames, readPeople } from './sdn-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradepost-sdn-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (content: string): Promise<string> => {
  const path = join(folder, 'list.csv');
  await writeFile(path, content);
  return path;
};

it('reads the people of a list, and nothing else of it', async () => {
  const path = await file(
    [
      '36,"AEROCARIBBEAN AIRLINES",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
      '2674,"ABBAS, Abu","individual","SDT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"Director ""of"" it; DOB 10 Dec 1948."',
      '2676,"AL-ZAWAHIRI, Dr. Ayman","individual",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
      '9,"SEA STAR","vessel","IRAN",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
      '10,-0- ,"individual","IRAN"',
      '',
      '\u001a',
    ].join('\r\n'),
  );
  expect(await readPeople(path)).toEqual([
    { uid: '2674', name: 'ABBAS, Abu', program: 'SDT' },
    { uid: '2676', name: 'AL-ZAWAHIRI, Dr. Ayman', program: '' },
  ]);
});

it('reads other names', async () => {
  const path = await file('2674,1,"aka","ZAYDAN, Muhammad",-0- \r\n2674,2,"fka",-0- ,-0- \r\n\u001a');
  expect(await readOtherNames(path)).toEqual([{ uid: '2674', name: 'ZAYDAN, Muhammad' }]);
});

it('rejects where there is no such file', async () => {
  await expect(readPeople(join(folder, 'none.csv'))).rejects.toThrow('ENOENT');
});
