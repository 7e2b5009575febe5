import { Injectable } from '@nestjs/common';
import type { HasDemoData } from '../../kit/module/tradepost-module.js';
import type { AddPetDto } from './pet.dto.js';
import { PetsService } from './pets.service.js';

@Injectable()
export class PetsDemo implements HasDemoData {
  constructor(private readonly pets: PetsService) {}

  async seedDemo(): Promise<void> {
    for (const pet of DEMO_PETS) await this.pets.ensure(pet);
  }
}

/** The pets of the shop on its first day; the first one is to be had. */
const DEMO_PETS: readonly AddPetDto[] = [
  pet(1, 'Rex', 'dogs', ['friendly', 'trained'], 'available'),
  pet(2, 'Bella', 'dogs', ['friendly', 'puppy'], 'available'),
  pet(3, 'Milo', 'cats', ['calm', 'indoor'], 'available'),
  pet(4, 'Luna', 'cats', ['playful'], 'pending'),
  pet(5, 'Coco', 'rabbits', ['calm', 'friendly'], 'available'),
  pet(6, 'Rio', 'birds', ['talkative'], 'available'),
  pet(7, 'Nemo', 'fish', ['calm'], 'available'),
  pet(8, 'Bruno', 'dogs', ['trained'], 'sold'),
  pet(9, 'Shelly', 'turtles', ['calm'], 'available'),
  pet(10, 'Daisy', 'cats', ['friendly', 'indoor'], 'pending'),
];

function pet(
  id: number,
  name: string,
  category: string,
  tags: readonly string[],
  status: NonNullable<AddPetDto['status']>,
): AddPetDto {
  return {
    id,
    name,
    category: { name: category },
    photoUrls: [],
    tags: tags.map((tag) => ({ name: tag })),
    status,
  };
}
