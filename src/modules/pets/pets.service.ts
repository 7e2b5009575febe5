import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { PET_STATUSES, PetEntity, type PetStatus } from './pet.entity.js';

/** The pets of the shop. */
@Injectable()
export class PetsService {
  constructor(@InjectRepository(PetEntity) private readonly pets: Repository<PetEntity>) {}

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

  /** Whether there is such a pet, as the caller's transaction sees it. */
  exists(manager: EntityManager, petId: number): Promise<boolean> {
    return manager.existsBy(PetEntity, { petId: String(petId) });
  }

  /** The number of pets in each status, 0 where there is none. */
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
