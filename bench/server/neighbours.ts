import type { Application } from 'express';

/**
 * Moves a route right behind another one of the same method in Express' router. It looks for the route of a request
 * from the first to the last, so that one registered late answers later for that reason alone.
 * @throws Error where either of them is not there exactly once
 */
export function placeBeside({ router }: Application, path: string, neighbour: string): void {
  const { stack } = router;
  const placeOf = (wanted: string): number => {
    const places = stack.flatMap(({ route }, place) =>
      route?.path === wanted && route.stack.some(({ method }) => method === 'post') ? [place] : [],
    );
    if (places.length !== 1) throw new Error(`There are ${places.length} routes POST ${wanted}, not one.`);
    return places[0]!;
  };
  const [layer] = stack.splice(placeOf(path), 1);
  stack.splice(placeOf(neighbour) + 1, 0, layer!);
  if (placeOf(path) !== placeOf(neighbour) + 1) throw new Error(`POST ${path} is not beside ${neighbour}.`);
}
