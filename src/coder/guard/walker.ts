// Walks the syntax tree of a command in execution order, tracks the known state of the shell, and judges every simple
// command. It executes nothing and reads no file.
// Invariant: it always ends. A work budget and a depth limit apply, and a command that exceeds them is refused.

import type {
  ArithmeticExpression,
  Command,
  CommandNode,
  For,
  Function as FunctionNode,
  parse as parseShell,
  ParsedScript,
  PipelineNode,
  Redirection,
  Select,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
} from 'unbash';
import { alternativesOf, assign, withAssignments, type WordScope } from './assign.ts';
import { CallStack } from './call-stack.ts';
import { startsWithoutEnd } from './endless-loop.ts';
import { expandSingle, type Arguments, type Expansion } from './expand.ts';
import {
  emptyField,
  joined,
  literalOf,
  numberField,
  shownOf,
  tame,
  textField,
  wild,
  type ShellField,
} from './field.ts';
import { pathKindOf } from './path-kind.ts';
import { lastingInput, Redirections } from './redirect.ts';
import type { Output, JudgeContext } from './judge-context.ts';
import type { ValueAlternatives, Shell } from './shell.ts';
import { toSource, trimmed } from './source.ts';
import { Findings, type Finding } from './verdict.ts';

export interface Tools {
  readonly parse: typeof parseShell;
  readonly forEachChild: (node: SyntaxNode, visit: (child: SyntaxNode) => void) => void;
  /** Judges one command with expanded words. */
  readonly judge: (words: Arguments, context: JudgeContext) => Output;
  readonly isProgram: (name: string) => boolean;
}

/** Limits the time: a unit is one judged word or twenty parsed characters. */
const mostWork = 10_000;
const charactersPerWork = 20;
const deepest = 120;
const longestScript = 200_000;

/** Shared by all walkers of one command. */
interface Budget {
  work: number;
}

/** The shell state and standard input of a node. */
interface WalkScope {
  readonly shell: Shell;
  readonly input: ShellField | undefined;
}

export class Walker {
  readonly findings = new Findings();
  readonly #tools: Tools;
  readonly #budget: Budget;
  readonly #stack: CallStack;
  #depth: number;
  #isSearched = false;

  constructor(tools: Tools, parent?: Walker) {
    this.#tools = tools;
    this.#budget = parent === undefined ? { work: 0 } : parent.#budget;
    this.#stack = new CallStack(parent === undefined ? undefined : parent.#stack);
    this.#depth = parent === undefined ? 0 : parent.#depth + 1;
  }

  /** Judges a script. */
  read(code: string, scope: WalkScope): Output {
    if (code.length > longestScript) return this.#refuse('unparsed', 'the command is too long to judge');
    // oxlint-disable-next-line no-control-regex -- bash and other readers disagree about what these mean
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(code)) {
      return this.#refuse('unparsed', 'the command contains a control character');
    }
    if (this.#depth > 0) this.#budget.work += Math.ceil(code.length / charactersPerWork);
    if (this.#budget.work > mostWork) return this.#refuse('too-complex', 'the command is too complex to judge');
    const script = this.#tools.parse(code);
    const output = this.#script(script, scope);
    this.#judgeUncalled(scope.shell);
    return output;
  }

  /** Judges a command given as its words. */
  command(words: Arguments, scope: WalkScope): Output {
    this.#budget.work += 1 + words.length;
    if (this.#budget.work > mostWork || this.#depth > deepest) {
      return this.#refuse('too-complex', 'the command is too complex to judge');
    }
    if (this.findings.isSettled || words.length === 0) return emptyField;
    this.#depth += 1;
    const output = this.#callFunction(words, scope) ?? this.#tools.judge(words, this.#contextOf(scope));
    this.#depth -= 1;
    return output;
  }

  #refuse(findingClass: Finding['class'], reason: string): Output {
    this.findings.add({ verdict: 'refuse', class: findingClass, reason });
    return [wild];
  }

  #script(script: ParsedScript | undefined, scope: WalkScope): Output {
    if (script === undefined) return this.#refuse('unparsed', 'a part of the command cannot be parsed');
    const [error] = script.errors ?? [];
    if (error !== undefined) return this.#refuse('unparsed', `the command cannot be parsed: ${error.message}`);
    return this.#list(script.commands, scope);
  }

  #list(statements: readonly Statement[], scope: WalkScope): Output {
    const output: ShellField[] = [];
    for (const { command, background } of statements) {
      if (this.findings.isSettled) break;
      output.push(
        background === true
          ? this.#stack.inParallel(() => this.#node(command, forked(scope)))
          : this.#node(command, scope),
      );
    }
    return joined(output.flat());
  }

  #node(node: PipelineNode | Extract<Statement['command'], { type: 'AndOr' }>, scope: WalkScope): Output {
    this.#depth += 1;
    const output =
      this.#depth > deepest
        ? this.#refuse('too-complex', 'the command is nested too deeply')
        : this.#visit(node, scope);
    this.#depth -= 1;
    return output;
  }

  #visit(node: PipelineNode | Extract<Statement['command'], { type: 'AndOr' }>, scope: WalkScope): Output {
    switch (node.type) {
      case 'Pipeline':
        return this.#pipeline(node.commands, scope);
      case 'AndOr':
        return joined(node.commands.flatMap((command, index) => this.#maybe(index > 0, command, scope)));
      case 'Command':
        return this.#simple(node, scope);
      case 'Redirected':
        return this.#redirected(node.redirects, scope, (inner) => this.#node(node.command, inner));
      case 'Function':
        return this.#define(node, scope.shell);
      case 'Coproc':
        if (node.body.type === 'CompoundList') return this.#list(node.body.commands, scope);
        return this.#compound(node.body, scope);
      default:
        return this.#compound(node, scope);
    }
  }

  #compound(node: CommandNode, scope: WalkScope): Output {
    switch (node.type) {
      case 'Subshell':
        return this.#list(node.body.commands, forked(scope));
      case 'BraceGroup':
        return this.#list(node.body.commands, scope);
      case 'If':
        return this.#conditional(scope, () => {
          const parts = [node.clause, node.then, ...node.elif.flatMap((each) => [each.clause, each.then]), node.else];
          return joined(parts.flatMap((part) => (part === undefined ? [] : this.#list(part.commands, scope))));
        });
      case 'While':
        if (startsWithoutEnd(node)) return this.#refuse('fork-bomb', 'a loop: starts processes endlessly');
        return this.#loop(scope, () => this.#list([...node.clause.commands, ...node.body.commands], scope));
      case 'ArithmeticFor':
        if (startsWithoutEnd(node)) return this.#refuse('fork-bomb', 'a loop: starts processes endlessly');
        for (const part of [node.initialize, node.test, node.update]) this.#arithmetic(part, scope);
        return this.#loop(scope, () => this.#list(node.body.commands, scope));
      case 'For':
      case 'Select':
        return this.#iterate(node, scope);
      case 'Case':
        return this.#conditional(scope, () => {
          for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)]) this.#single(word, scope);
          return joined(node.items.flatMap(({ body }) => this.#list(body.commands, scope)));
        });
      case 'TestCommand':
        return this.#test(node.expression, scope);
      case 'ArithmeticCommand':
        this.#arithmetic(node.expression, scope);
        return emptyField;
      default:
        return this.#node(node, scope);
    }
  }

  #pipeline(commands: readonly CommandNode[], scope: WalkScope): Output {
    if (commands.length === 1 && commands[0] !== undefined) return this.#node(commands[0], scope);
    let { input } = scope;
    for (const command of commands) {
      const inner = { shell: scope.shell.fork(), input };
      input = this.#stack.inParallel(() => this.#node(command, inner));
    }
    return input ?? emptyField;
  }

  #maybe(isConditional: boolean, node: PipelineNode, scope: WalkScope): Output {
    return isConditional ? this.#conditional(scope, () => this.#node(node, scope)) : this.#node(node, scope);
  }

  #conditional(scope: WalkScope, run: () => Output): Output {
    const before = scope.shell.isConditional;
    scope.shell.isConditional = true;
    const output = run();
    scope.shell.isConditional = before;
    return output;
  }

  /** Repeats the body while variables change. Variables that still change after that are unknown. */
  #loop({ shell }: WalkScope, body: () => Output): Output {
    return this.#conditional({ shell, input: undefined }, () => {
      const output = body();
      let changes = shell.changes;
      if (changes === 0 || this.findings.isSettled) return output;
      const before = new Map(shell.variables);
      body();
      if (shell.changes === changes) return output;
      changes = shell.changes;
      for (const [name, value] of shell.variables) {
        if (before.get(name) !== value) shell.variables.set(name, [[[{ ...wild, name }]]]);
      }
      return body();
    });
  }

  #iterate({ name, wordlist, body }: For | Select, scope: WalkScope): Output {
    const { shell } = scope;
    const words = wordlist === undefined ? [shell.positional] : alternativesOf(wordlist, this.#wordsOf(scope));
    const values: ValueAlternatives = words.flatMap((fields) => fields.map((field) => [field]));
    return this.#conditional(scope, () => {
      if (values.length > 0) {
        shell.variables.delete(name.value);
        shell.assignAll(name.value, values);
      }
      return this.#loop(scope, () => this.#list(body.commands, scope));
    });
  }

  #define(node: FunctionNode, shell: Shell): Output {
    const name = node.name.value;
    if (this.#tools.isProgram(name)) {
      const reason = `${name}(): redefines a program`;
      this.findings.add({ verdict: 'ask', class: 'hidden-execution', reason });
    }
    shell.functions.set(name, node);
    return emptyField;
  }

  #callFunction(words: Arguments, scope: WalkScope): Output | undefined {
    const [first = emptyField, ...args] = words;
    const name = literalOf(first) ?? '';
    const definition = scope.shell.functions.get(name);
    if (definition === undefined) return undefined;
    const kind = this.#stack.judge(name);
    if (kind === 'fork-bomb') return this.#refuse('fork-bomb', `${name}: starts itself repeatedly`);
    return kind === 'new' ? this.#runFunction(definition, args, scope) : emptyField;
  }

  #runFunction({ name, body }: FunctionNode, args: readonly ShellField[], scope: WalkScope): Output {
    const { shell } = scope;
    const before = shell.positional;
    shell.positional = args;
    const output = this.#stack.enter(name.value, () =>
      body.type === 'CompoundList' ? this.#list(body.commands, scope) : this.#node(body, scope),
    );
    shell.positional = before;
    return output;
  }

  /** A trap or a later shell may call them. */
  #judgeUncalled(shell: Shell): void {
    if (this.#depth > 0) return;
    for (const [name, definition] of shell.functions) {
      if (this.#stack.wasCalled(name) || this.findings.isSettled) continue;
      this.#runFunction(
        definition,
        [tame, tame, tame].map((piece) => [piece]),
        { shell: shell.fork(), input: undefined },
      );
    }
  }

  #simple(node: Command, scope: WalkScope): Output {
    const isLasting = node.name?.value === 'exec' && node.args.length === 0;
    return this.#withRedirects(node.redirects, { scope, isLasting }, (inner) => {
      const words = node.name === undefined ? [] : [node.name, ...node.args];
      const assignments = node.prefix.filter((each) => each.type === 'Assignment');
      if (words.length === 0) {
        for (const each of assignments) assign(each, this.#wordsOf(inner));
        // `$(< file)` is the content of the file.
        return node.redirects.some(({ operator }) => operator === '<') ? (inner.input ?? emptyField) : emptyField;
      }
      const here = this.#wordsOf(inner);
      const alternatives = alternativesOf(words, here);
      return withAssignments(assignments, here, () => this.#all(alternatives, inner));
    });
  }

  #all(alternatives: readonly Arguments[], scope: WalkScope): Output {
    const outputs = alternatives.map((words) => this.command(words, scope));
    return outputs.length === 1 ? (outputs[0] ?? emptyField) : [wild];
  }

  #wordsOf(scope: WalkScope): WordScope {
    return { shell: scope.shell, context: this.#contextOf(scope), expansion: this.#expansionOf(scope) };
  }

  #single(word: Word, scope: WalkScope): readonly ShellField[] {
    return expandSingle(word, this.#expansionOf(scope));
  }

  #expansionOf(scope: WalkScope): Expansion {
    const expansion: Expansion = {
      shell: scope.shell,
      parse: this.#tools.parse,
      single: (word) => expandSingle(word, expansion),
      substitute: (script) => trimmed(this.#script(script, forked(scope))),
      visit: (part) => this.#visitPart(part, scope),
    };
    return expansion;
  }

  /** Judges substitutions inside an expression whose value does not matter. */
  #visitPart(part: SyntaxNode, scope: WalkScope): void {
    if (
      part.type === 'CommandExpansion' ||
      part.type === 'ProcessSubstitution' ||
      part.type === 'ArithmeticCommandExpansion'
    ) {
      this.#script(part.script, forked(scope));
    } else {
      this.#tools.forEachChild(part, (child) => this.#visitPart(child, scope));
    }
  }

  #arithmetic(expression: ArithmeticExpression | undefined, scope: WalkScope): void {
    if (expression === undefined) return;
    this.#visitPart(expression, scope);
    const assigned = expression.type === 'ArithmeticBinary' ? expression.left : undefined;
    if (assigned?.type === 'ArithmeticWord' && /^\w+$/.test(assigned.value))
      scope.shell.assign(assigned.value, [numberField]);
  }

  #test(expression: TestExpression, scope: WalkScope): Output {
    const visit = (node: SyntaxNode): void => {
      if (node.type !== 'Word') return this.#tools.forEachChild(node, visit);
      for (const field of this.#single(node, scope)) this.#subscript(field, scope);
    };
    visit(expression);
    return emptyField;
  }

  /** `[[ -v 'a[$(…)]' ]]` runs what is in the subscript. */
  #subscript(field: ShellField, scope: WalkScope): void {
    const text = shownOf(field);
    if (/\[.*(\$\(|`)/.test(text)) this.#contextOf(scope).script(textField(`: "${text}"`), text);
  }

  #redirected(redirects: readonly Redirection[], scope: WalkScope, run: (inner: WalkScope) => Output): Output {
    return this.#withRedirects(redirects, { scope, isLasting: false }, run);
  }

  #withRedirects(
    redirects: readonly Redirection[],
    { scope, isLasting }: { readonly scope: WalkScope; readonly isLasting: boolean },
    run: (inner: WalkScope) => Output,
  ): Output {
    const { shell, input } = scope;
    const redirected = new Redirections(redirects, { ...this.#wordsOf(scope), input, isLasting });
    return redirected.close(run({ shell, input: redirected.input }));
  }

  #contextOf(scope: WalkScope): JudgeContext {
    const { shell, input = lastingInput(shell) } = scope;
    return {
      shell,
      input,
      isSearched: this.#isSearched,
      report: (verdict, findingClass, reason) => this.findings.add({ verdict, class: findingClass, reason }),
      script: (code, reason) => this.#runCode(code, reason, scope),
      command: (words) => this.command(words, scope),
      findingOf: (code) => this.#findingOf(code, shell),
      kindOf: (field) => pathKindOf(field, shell),
    };
  }

  #findingOf(code: string | Arguments, shell: Shell): Finding | undefined {
    const walker = new Walker(this.#tools, this);
    const scope = { shell: shell.fork(), input: undefined };
    walker.#isSearched = typeof code !== 'string';
    if (typeof code === 'string') walker.read(code, scope);
    else walker.command(code, scope);
    if (this.#budget.work > mostWork) this.#refuse('too-complex', 'the command is too complex to judge');
    return walker.findings.worst;
  }

  #runCode(code: ShellField, reason: string, scope: WalkScope): Output {
    const text = toSource(code, scope.shell);
    if (text === undefined) {
      const isDownloaded = code.some((piece) => piece.kind === 'unknown' && piece.origin === 'network');
      const problem = isDownloaded ? 'runs what it downloads' : 'runs unknown code';
      this.findings.add({
        verdict: isDownloaded ? 'ask' : 'refuse',
        class: 'unknown-code',
        reason: `${reason}: ${problem}`,
      });
      return [wild];
    }
    this.#depth += 1;
    const output =
      this.#depth > deepest ? this.#refuse('too-complex', 'shells are nested too deeply') : this.read(text, scope);
    this.#depth -= 1;
    return output;
  }
}

function forked({ shell, input }: WalkScope): WalkScope {
  return { shell: shell.fork(), input };
}
