import assert from 'node:assert/strict';
import { Analyzer } from './analyzer.ts';

describe('The language of a header', () => {
  const cases: Record<string, [text: string, language: string]> = {
    'is C without a sign of another': ['#include <a.h>\nint class(void);\nint end;\n', 'c'],
    'is C with commands of Doxygen': ['/**\n  @class Pool\n  @interface Pool pool.h\n*/\nint take(void);\n', 'c'],
    'is C++ with a namespace': ['namespace a {\n}\n', 'cpp'],
    'is Objective-C with an interface': ['@interface Pool : Base\n@end // Pool\n', 'objective-c'],
    'is Objective-C with a class that is declared': ['namespace a {}\n@class Pool, Base;\n', 'objective-c'],
    'is Objective-C with an import': ['#import <Foundation/Foundation.h>\n', 'objective-c'],
    'is C++ with an import of a type library': ['#import "a.tlb"\nnamespace a {\n}\n', 'cpp'],
  };
  for (const [what, [text, language]] of Object.entries(cases)) {
    it(what, () => assert.equal(new Analyzer().analyze('a.h', Buffer.from(text)).language, language));
  }
});
