// Type tests: `sameType<Left, Right>(true)` compiles only if the two types are identical. Does nothing at run time.

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only functions like these compare exactly
type Same<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

export function sameType<Left, Right>(_proof: Same<Left, Right>): void {}
