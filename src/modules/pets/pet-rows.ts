import { IsNull, Not, type EntityManager } from 'typeorm';
import { insertNumbered, type NumberedTable } from '../../kit/row-numbers.js';
import { CONFLICT } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import { imageNameIn } from './images/pet-image-url.js';
import { petNotFound } from './pet-reader.js';
import { PetEntity, PetPhotoEntity, PetTagLinkEntity } from './pet.entity.js';

const PET_NUMBERS: NumberedTable = { table: 'pets', column: 'pet_id', sequence: 'pets_pet_id_seq' };

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
  const petId = await insertNumbered(manager, PET_NUMBERS, chosenId, async (number) => {
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(PetEntity)
      .values({ ...pet, petId: number })
      .orIgnore()
      .returning('pet_id')
      .execute();
    return (inserted.raw as unknown[]).length > 0;
  });
  if (petId === undefined) {
    throw new ApiError(CONFLICT, `There is a pet ${chosenId} already; choose another id, or none.`);
  }
  return petId;
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
