/** Work on content in the test's own process, without limits. */
import type { CallerCompute } from "../../../src/compute/compute.ts";
import {
  pieces,
  type PieceInput,
  type PieceKind,
  type PieceResult,
} from "../../../src/compute/pieces/index.ts";

export const computeHere: CallerCompute = {
  async run<K extends PieceKind>(kind: K, input: PieceInput<K>) {
    const piece = pieces[kind] as (input: PieceInput<K>) => PieceResult<K> | Promise<PieceResult<K>>;
    return piece(input);
  },
};
