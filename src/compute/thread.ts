/** Program of the threads of `compute.ts`. */
import { servePieces } from "../../repos/threads/serve-pieces.ts";
import { pieces, type PieceInput, type PieceKind } from "./pieces/index.ts";

// The map ties each kind to its input, which the compiler can't infer for a kind known only at run time.
servePieces(({ kind, input }: { kind: PieceKind; input: PieceInput<PieceKind> }) =>
  (pieces[kind] as (input: PieceInput<PieceKind>) => unknown)(input),
);
