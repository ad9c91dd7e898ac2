// Type tests: the compiler refuses `sameType<Left, Right>(true)` unless the two types are the same. At run time it does
// nothing.

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only functions like these compare exactly
type Same<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

export function sameType<Left, Right>(_proof: Same<Left, Right>): void {}
