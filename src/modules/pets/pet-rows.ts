import { IsNull, Not, type EntityManager } from 'typeorm';
import { ApiError } from '../../platform/http/errors.js';
import { imageNameIn } from './images/image-name.js';
import { petNotFound } from './pet-reader.js';
import { PetEntity, PetPhotoEntity, PetTagLinkEntity } from './pet.entity.js';

/** A number that the counter gives may be taken by a caller's choice, and so may the next. */
const NUMBER_TRIES_MAX = 5;

/** Holds the pet until the transaction ends. Throws `not_found` (404). */
export async function lockPet(manager: EntityManager, petId: number): Promise<PetEntity> {
  const pet = await manager.findOne(PetEntity, {
    where: { petId: String(petId) },
    lock: { mode: 'pessimistic_write' },
  });
  if (!pet) throw petNotFound(petId);
  return pet;
}

/**
 * Inserts a pet under the chosen id, or under the next one that is free, and answers the id.
 * Throws `conflict` (409) for an id that is taken.
 */
export async function insertPet(
  manager: EntityManager,
  pet: Pick<PetEntity, 'name' | 'categoryId' | 'status'>,
  chosenId: number | undefined,
): Promise<string> {
  for (let attempt = 0; attempt < NUMBER_TRIES_MAX; attempt++) {
    const petId = String(chosenId ?? (await nextNumber(manager)));
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(PetEntity)
      .values({ ...pet, petId })
      .orIgnore()
      .returning('pet_id')
      .execute();
    if ((inserted.raw as unknown[]).length > 0) {
      if (chosenId !== undefined) await stepOver(manager, petId);
      return petId;
    }
    if (chosenId !== undefined) {
      throw new ApiError('conflict', `There is a pet ${chosenId} already; choose another id, or none.`);
    }
    await skipTakenNumbers(manager);
  }
  throw new ApiError('conflict', 'No number was free for the pet; send it again.');
}

async function nextNumber(manager: EntityManager): Promise<string> {
  const [row] = await manager.query<[{ number: string }]>(`SELECT nextval('pets_pet_id_seq') AS number`);
  return row.number;
}

/** Moves the counter past a chosen number that it would have given next. */
async function stepOver(manager: EntityManager, petId: string): Promise<void> {
  await manager.query(
    `SELECT setval('pets_pet_id_seq', $1::bigint) FROM pets_pet_id_seq
     WHERE last_value + is_called::int = $1::bigint`,
    [petId],
  );
}

/** Moves the counter to the end of the run of chosen numbers that it has come upon. */
async function skipTakenNumbers(manager: EntityManager): Promise<void> {
  await manager.query(`
    SELECT setval('pets_pet_id_seq', (
      SELECT taken.pet_id FROM pets taken
      WHERE taken.pet_id >= (SELECT last_value FROM pets_pet_id_seq)
        AND NOT EXISTS (SELECT FROM pets next WHERE next.pet_id = taken.pet_id + 1)
      ORDER BY taken.pet_id LIMIT 1))`);
}

export async function insertTags(
  manager: EntityManager,
  petId: string,
  tagIds: readonly string[],
): Promise<void> {
  await manager.insert(
    PetTagLinkEntity,
    tagIds.map((tagId, position) => ({ petId, position, tagId })),
  );
}

/**
 * Makes these the photos of a pet that has none. An address of one of its own `images` is that image again,
 * any other is kept as it is written. Answers the images among them.
 */
export async function insertPhotos(
  manager: EntityManager,
  petId: string,
  photoUrls: readonly string[],
  images: ReadonlySet<string>,
): Promise<Set<string>> {
  const kept = new Set<string>();
  const photos: Pick<PetPhotoEntity, 'petId' | 'position' | 'url' | 'imageName'>[] = [];
  for (const [position, url] of [...new Set(photoUrls)].entries()) {
    const imageName = imageNameIn(url);
    if (imageName === undefined || !images.has(imageName)) {
      photos.push({ petId, position, url, imageName: null });
    } else if (!kept.has(imageName)) {
      photos.push({ petId, position, url: null, imageName });
      kept.add(imageName);
    }
  }
  await manager.insert(PetPhotoEntity, photos);
  return kept;
}

/** The names of the pet's stored images. */
export async function imagesOf(manager: EntityManager, petId: string): Promise<Set<string>> {
  const photos = await manager.findBy(PetPhotoEntity, { petId, imageName: Not(IsNull()) });
  return new Set(photos.flatMap(({ imageName }) => imageName ?? []));
}
