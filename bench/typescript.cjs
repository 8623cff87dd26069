// What the compiler of TypeScript makes of the calls in some files, as JSON on standard output.
//
//     node typescript.cjs FOLDER_OF_TYPESCRIPT ROOT < files, one a line
//
// {"calls": [[file, at, line, known, [target, …], [handed, …]], …], "above": [[spot, spot], …]}
//
// at: the last byte of the call; line: where what is called is named; known: whether the compiler can tell what runs;
// target: the spots of one function, all of its overloads; handed: functions in the tree that are
// given to something outside, which may run them; above: a member, and one that it overrides.
// spot: file, first byte, byte behind the last one.
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.argv[2]);
const root = path.resolve(process.argv[3]);

const SETTINGS = {
  allowJs: true, checkJs: true, noEmit: true, strict: true, skipLibCheck: true,
  allowImportingTsExtensions: true, esModuleInterop: true, experimentalDecorators: true,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.Preserve,
};
const names = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
const program = ts.createProgram(names.map((name) => path.join(root, name)), SETTINGS);
const checker = program.getTypeChecker();
const own = new Map(
  names.map((name) => [program.getSourceFile(path.join(root, name)), name]).filter(([f]) => f),
);
const offsets = new Map();
// A package that imports itself by its name has its published form there, which is not compared.
const settings = path.join(root, "package.json");
const ownName = fs.existsSync(settings) ? JSON.parse(fs.readFileSync(settings)).name : undefined;
const published = `/node_modules/${ownName}/`;

// Return the byte of a place in a file.
function byteOf(file, place) {
  if (!offsets.has(file)) {
    const lead = fs.readFileSync(file.fileName).subarray(0, 3).equals(Buffer.from("\ufeff")) ? 3 : 0;
    const plain = Buffer.byteLength(file.text) === file.text.length;
    offsets.set(file, plain ? (at) => at + lead
      : (at) => Buffer.byteLength(file.text.slice(0, at)) + lead);
  }
  return offsets.get(file)(place);
}

function spot(node) {
  const file = node.getSourceFile();
  const last = /[;,]$/.test(node.getText(file)) ? node.getEnd() - 1 : node.getEnd();
  return [own.get(file), byteOf(file, node.getStart(file)), byteOf(file, last)];
}

const isOwn = (node) => own.has(node.getSourceFile());

function symbolAt(node) {
  let symbol = checker.getSymbolAtLocation(node);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol;
}

const isAround = (node) =>
  ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)
  || ts.isSatisfiesExpression(node) || ts.isTypeAssertionExpression(node);

function bare(node) {
  while (node && isAround(node)) node = node.expression;
  return node;
}

// Return the last name in an expression: what says which function is meant.
function named(node) {
  node = bare(node);
  if (ts.isPropertyAccessExpression(node)) return node.name;
  if (ts.isElementAccessExpression(node)) return node.argumentExpression;
  return node;
}

const JOINING = new Set([
  ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
]);

// Return the functions that a value is, as far as it is written where it is bound.
function valued(node, depth) {
  node = bare(node);
  if (!node || depth > 5) return [];
  if (ts.isFunctionExpression(node) || ts.isArrowFunction(node)) return [node];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken)
    return valued(node.right, depth + 1);
  if (ts.isConditionalExpression(node))
    return [...valued(node.whenTrue, depth + 1), ...valued(node.whenFalse, depth + 1)];
  if (ts.isBinaryExpression(node) && JOINING.has(node.operatorToken.kind))
    return [...valued(node.left, depth + 1), ...valued(node.right, depth + 1)];
  if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node))
    return functionsOf(symbolAt(named(node)), depth + 1);
  return [];
}

// Return the functions that a symbol stands for.
function functionsOf(symbol, depth = 0) {
  if (!symbol || depth > 5) return [];
  return (symbol.declarations ?? []).flatMap((node) => {
    if (!isOwn(node)) return [];
    if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)
      || ts.isMethodSignature(node) || ts.isFunctionExpression(node) || ts.isArrowFunction(node))
      return [node];
    if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)
      || ts.isPropertyDeclaration(node)) return valued(node.initializer, depth);
    if (ts.isShorthandPropertyAssignment(node)) {
      let meant = checker.getShorthandAssignmentValueSymbol(node);
      if (meant && meant.flags & ts.SymbolFlags.Alias) meant = checker.getAliasedSymbol(meant);
      return functionsOf(meant, depth + 1);
    }
    if (ts.isBinaryExpression(node)) return valued(node.right, depth);
    if (ts.isExportAssignment(node)) return valued(node.expression, depth);
    if ((ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
      && ts.isBinaryExpression(node.parent) && node.parent.left === node)
      return valued(node.parent.right, depth);
    return [];
  });
}

const IS_MERE_TYPE = new Set([
  ts.SyntaxKind.FunctionType, ts.SyntaxKind.ConstructorType, ts.SyntaxKind.CallSignature,
  ts.SyntaxKind.ConstructSignature, ts.SyntaxKind.JSDocSignature,
  ts.SyntaxKind.JSDocFunctionType, ts.SyntaxKind.JSDocCallbackTag,
]);

// Return the functions that run in a call, and whether the compiler knows of them at all.
function called(node, callee) {
  const signature = checker.getResolvedSignature(node);
  const declared = signature?.declaration;
  const last = named(callee);
  const making = ts.isNewExpression(node) || bare(callee).kind === ts.SyntaxKind.SuperKeyword;
  if (!making || (declared && ts.isFunctionDeclaration(declared))) {
    const symbol = symbolAt(last);
    const found = functionsOf(symbol);
    if (found.length) return [true, grouped(found)];
    const access = bare(callee);
    if (ts.isPropertyAccessExpression(access) && /^(call|apply)$/.test(access.name.text)) {
      const inner = functionsOf(symbolAt(named(access.expression)));
      return [inner.length > 0, grouped(inner)];
    }
  }
  if (!declared) return [making && isClass(callee), []];
  if (!making && isHeld(symbolAt(last))) return [false, []];
  if (!isOwn(declared)) return [!declared.getSourceFile().fileName.includes(published), []];
  if (IS_MERE_TYPE.has(declared.kind)) return [false, []];
  const all = declared.symbol?.declarations?.filter((one) => one.kind === declared.kind);
  return [true, grouped(all?.length ? all.filter(isOwn) : [declared])];
}

// Whether a symbol of the tree is a variable or a field: any function may be in it.
function isHeld(symbol) {
  return (symbol?.declarations ?? []).some((node) => isOwn(node)
    && (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isPropertySignature(node)
      || ts.isPropertyDeclaration(node) || ts.isBindingElement(node)
      || ts.isPropertyAssignment(node) || ts.isExportAssignment(node)));
}

function isClass(callee) {
  const symbol = symbolAt(named(callee));
  return Boolean(symbol && symbol.flags & ts.SymbolFlags.Class);
}

// Return spots by function: declarations of one name in one place are its overloads.
function grouped(nodes) {
  const groups = new Map();
  for (const node of new Set(nodes)) {
    const key = ts.isFunctionLike(node) && node.parent && !ts.isVariableDeclaration(node.parent)
      ? node.parent : node;
    groups.set(key, [...(groups.get(key) ?? []), spot(node)]);
  }
  return [...groups.values()];
}

// Return the functions of the tree among some arguments.
function handed(given) {
  return (given ?? []).flatMap((one) => {
    const inner = bare(ts.isSpreadElement(one) ? one.expression : one);
    return valued(inner, 0).filter(isOwn).map(spot);
  });
}

// Return what else a variable is given than where it is declared, by its symbol.
const later = new Map();
function gather(node) {
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
    const symbol = symbolAt(named(node.left));
    if (symbol) later.set(symbol, [...(later.get(symbol) ?? []), node.right]);
  }
  ts.forEachChild(node, gather);
}
for (const file of own.keys()) gather(file);
const reassigned = (callee) =>
  (later.get(symbolAt(named(callee))) ?? []).flatMap((value) => valued(value, 0))
    .filter(isOwn).map(spot);

const calls = [];
function add(node, place, known, targets, given) {
  const file = node.getSourceFile();
  const line = file.getLineAndCharacterOfPosition(place.getStart(file)).line + 1;
  calls.push([own.get(file), byteOf(file, node.getEnd() - 1), line, known, targets, given]);
}

function visit(node) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const [known, targets] = called(node, node.expression);
    const given = [...(targets.length ? [] : handed(node.arguments)), ...reassigned(node.expression)];
    add(node, named(node.expression), known, targets, given);
  } else if (ts.isTaggedTemplateExpression(node)) {
    add(node, named(node.tag), ...called(node, node.tag), []);
  } else if (ts.isDecorator(node) && !ts.isCallExpression(node.expression)) {
    add(node, named(node.expression), ...called(node, node.expression), []);
  } else if (ts.isJsxOpeningLikeElement(node)) {
    add(node, named(node.tagName), ...called(node, node.tagName), []);
  } else if (ts.isPropertyAccessExpression(node)) {
    const symbol = checker.getSymbolAtLocation(node.name);
    const isWritten = ts.isBinaryExpression(node.parent) && node.parent.left === node
      && ts.isAssignmentOperator(node.parent.operatorToken.kind);
    const all = (symbol?.declarations ?? []).filter(isOwn);
    const run = all.filter(isWritten ? ts.isSetAccessor : ts.isGetAccessor);
    if (run.length && isWritten) add(node, node.name, true, [], run.map(spot));
    else if (run.length) add(node, node.name, true, grouped(run), []);
  }
  ts.forEachChild(node, visit);
}

const above = [];
function inherited(node) {
  if ((ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) && node.heritageClauses) {
    const bases = node.heritageClauses.flatMap((clause) => [...clause.types])
      .map((one) => checker.getTypeAtLocation(one));
    for (const member of node.members) {
      if (!member.name || !ts.isIdentifier(member.name)) continue;
      for (const base of bases) {
        const over = checker.getPropertyOfType(base, member.name.text);
        for (const one of over?.declarations ?? [])
          if (isOwn(one)) above.push([spot(member), spot(one)]);
      }
    }
  }
  if (ts.isObjectLiteralExpression(node)) {
    const asked = checker.getContextualType(node);
    for (const member of asked ? node.properties : []) {
      const over = member.name && ts.isIdentifier(member.name)
        ? checker.getPropertyOfType(asked, member.name.text) : undefined;
      for (const one of over?.declarations ?? [])
        if (isOwn(one) && one !== member) above.push([spot(member), spot(one)]);
    }
  }
  ts.forEachChild(node, inherited);
}

for (const file of own.keys()) {
  visit(file);
  inherited(file);
}
process.stdout.write(JSON.stringify({ calls, above }));
