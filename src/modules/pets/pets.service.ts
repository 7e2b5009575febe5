import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { ImageFiles } from '../../kit/files/images/image-files.js';
import { ApiError } from '../../kit/http/errors.js';
import { AnswerTransaction } from '../../kit/http/idempotency/answer-transaction.js';
import { ensurePetCategory, ensurePetTags } from './pet-labels.js';
import { petNotFound, PetReader } from './pet-reader.js';
import { imagesOf, insertPet, insertPhotos, insertTags, lockPet } from './pet-rows.js';
import type { AddPetDto, PetDto, ReplacePetDto, UpdatePetFormDto } from './pet.dto.js';
import { PET_STATUSES, PetEntity, PetPhotoEntity, PetTagLinkEntity, type PetStatus } from './pet.entity.js';

/**
 * The pets of the shop. Every transaction touches categories and tags before the pet, so that none waits in
 * a circle. Images that a pet loses are deleted once that is committed.
 */
@Injectable()
export class PetsService {
  constructor(
    @InjectRepository(PetEntity) private readonly pets: Repository<PetEntity>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly answerTransaction: AnswerTransaction,
    private readonly reader: PetReader,
    private readonly imageFiles: ImageFiles,
  ) {}

  /**
   * Adds a pet under the chosen id, or under the next one that is free.
   * Throws `validation_failed` (400) for a category or tag that cannot be found, `conflict` (409) for an id
   * that is taken.
   */
  add(body: AddPetDto): Promise<PetDto> {
    return this.answerTransaction.run(async (manager) => {
      const categoryId = await ensurePetCategory(manager, body.category);
      const tagIds = await ensurePetTags(manager, body.tags);
      const pet = { name: body.name, categoryId, status: body.status ?? 'available' };
      const petId = await insertPet(manager, pet, body.id || undefined);
      await insertTags(manager, petId, tagIds);
      await insertPhotos(manager, petId, body.photoUrls, new Set());
      return this.reader.get(Number(petId), manager);
    });
  }

  /** Adds a pet with a chosen id unless the id exists. */
  async ensure(pet: AddPetDto): Promise<void> {
    if (!(await this.pets.existsBy({ petId: String(pet.id) }))) await this.add(pet);
  }

  /**
   * Replaces a pet. Stored images whose addresses are no longer among its photos are deleted.
   * Throws `validation_failed` (400) as `add` does, and `not_found` (404).
   */
  async replace(body: ReplacePetDto): Promise<PetDto> {
    const petId = String(body.id);
    const { pet, lostImages } = await this.dataSource.transaction(async (manager) => {
      const categoryId = await ensurePetCategory(manager, body.category);
      const tagIds = await ensurePetTags(manager, body.tags);
      const fields = { name: body.name, categoryId, ...(body.status && { status: body.status }) };
      const { affected } = await manager.update(PetEntity, { petId }, fields);
      if (affected === 0) throw petNotFound(body.id);
      await manager.delete(PetTagLinkEntity, { petId });
      await insertTags(manager, petId, tagIds);
      const images = await imagesOf(manager, petId);
      await manager.delete(PetPhotoEntity, { petId });
      const kept = await insertPhotos(manager, petId, body.photoUrls, images);
      const lostImages = [...images].filter((imageName) => !kept.has(imageName));
      return { pet: await this.reader.get(body.id, manager), lostImages };
    });
    await this.imageFiles.deleteAll(lostImages);
    return pet;
  }

  /** Changes what the form names. Throws `validation_failed` (400) where it names nothing, and `not_found` (404). */
  async update(petId: number, { name, status }: UpdatePetFormDto): Promise<PetDto> {
    if (name === undefined && status === undefined) {
      throw ApiError.validation([{ field: 'name', message: 'name or status must be given' }]);
    }
    const { affected } = await this.pets.update(
      { petId: String(petId) },
      { ...(name !== undefined && { name }), ...(status !== undefined && { status }) },
    );
    if (affected === 0) throw petNotFound(petId);
    return this.reader.get(petId);
  }

  /** Deletes a pet and its stored images; its purchase orders stay. Throws `not_found` (404). */
  async remove(petId: number): Promise<void> {
    const images = await this.dataSource.transaction(async (manager) => {
      const pet = await lockPet(manager, petId);
      const lostImages = await imagesOf(manager, pet.petId);
      await manager.delete(PetEntity, { petId: pet.petId });
      return lostImages;
    });
    await this.imageFiles.deleteAll(images);
  }

  /**
   * Moves a pet from one status to another in the caller's transaction, which holds its row from then on.
   * False where it has another status by now, or does not exist; of several callers at once one gets true.
   */
  async moveStatus(manager: EntityManager, petId: number, from: PetStatus, to: PetStatus): Promise<boolean> {
    const { affected } = await manager.update(
      PetEntity,
      { petId: String(petId), status: from },
      { status: to },
    );
    return affected === 1;
  }

  /** Whether the pet exists, in the caller's transaction. */
  exists(manager: EntityManager, petId: number): Promise<boolean> {
    return manager.existsBy(PetEntity, { petId: String(petId) });
  }

  /** The number of pets in each status, including zero. */
  async countByStatus(): Promise<Record<PetStatus, number>> {
    const rows = await this.pets
      .createQueryBuilder('pet')
      .select('pet.status', 'status')
      .addSelect('count(*)', 'count')
      .groupBy('pet.status')
      .getRawMany<{ status: PetStatus; count: string }>();
    const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]));
    return Object.fromEntries(PET_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
      PetStatus,
      number
    >;
  }
}
