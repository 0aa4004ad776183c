//===- TrainOptimizers.td - Optimizers of Keras and tf -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optimizers, each with its formula and its source. Their implementations
// are in lib/Dialect/Train/Optimizers, one file each.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINOPTIMIZERS
#define FLYWHEEL_DIALECT_TRAIN_TRAINOPTIMIZERS

include "flywheel/Dialect/Train/TrainAttributes.td"

/// A number that has to be given.
defvar Train_Number = "::flywheel::train::Real";

/// A number whose default is `default`.
class Train_NumberOr<string default>
    : DefaultValuedParameter<"::flywheel::train::Real",
                             "::flywheel::train::Real(" # default # ")">;

/// The same for a number below 1; the update divides by, or multiplies new
/// values by, its difference from 1.
class Train_FractionOr<string default> : Train_NumberOr<default>;

/// A list of numbers that has to be given. The parser and printer of upstream
/// round numbers to six digits.
def Train_Numbers : AttrOrTypeParameter<"::mlir::DenseF64ArrayAttr", ""> {
  let parser = "parseNumbers($_parser)";
  let printer = "printNumbers($_printer, $_self)";
}

/// Parameters of which one has no default: if none are written, the error names
/// that one.
class Train_Required<string parameter, string attrMnemonic, dag parameters> {
  string format = "`` custom<OpeningBracket>(\"\\\"" # parameter # "\\\"\") "
                  # Train_Struct<attrMnemonic, parameters>.format # " `>`";
}

/// An option that is off by default.
def Train_Option : DefaultValuedParameter<"bool", "false">;

/// The C++ initializer of parameter `i` in the list of the numbers among
/// `parameters`.
class Train_NamedNumber<dag parameters, int i> {
  string name = !getdagname(parameters, i);
  bit isFraction = !initialized(!getdagarg<Train_FractionOr>(parameters, i));
  bit isNumber = !or(!initialized(!getdagarg<Train_NumberOr>(parameters, i)),
                     !initialized(!getdagarg<string>(parameters, i)));
  string text = !if(isNumber, "{\"" # name # "\", getImpl()->" # name
                                  # !if(isFraction, ", true}, ", "}, "), "");
}

/// A name of TableGen as one of C++: `weight_decay` is `WeightDecay`.
class Train_CamelCase<string name> {
  string text = !foldl(
      !toupper(!substr(name, 0, 1)) # !substr(name, 1),
      ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
       "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"],
      camel, letter, !subst("_" # letter, !toupper(letter), camel));
}

/// A scalar variable that an optimizer shares between its parameters, with the
/// C++ expression of its initial value. `role` is a case of ScalarRole.
class Train_Scalar<string scalarName, string scalarRole, string initialValue,
                   string explanation = ""> {
  string scalar = scalarName;
  string role = scalarRole;
  string initial = initialValue;
  /// In the documentation, in parentheses.
  string symbol = explanation;
  /// A hyper-parameter without which, at 0, there is no such variable: the last
  /// variable only, so that others keep their place. Empty for none.
  string ifPositive = "";
}

/// A hyper-parameter that the program may change between steps.
class Train_Changeable<string name>
    : Train_Scalar<name, "Number", "getImpl()->" # name>;
def Train_Rate : Train_Scalar<"lr", "Rate", "getImpl()->lr">;
def Train_Iterations : Train_Scalar<"iterations", "Counter", "0.0", "i64">;
def Train_Decay : Train_Scalar<"decay", "Decay", "getImpl()->decay"> {
  let ifPositive = "decay";
}

/// A variable that an optimizer keeps for each parameter: its symbol in the
/// formula, the C++ expression of its initial value, and when there is one, as a
/// C++ condition on the attribute and the type `parameter`, and in words.
class Train_Slot<string slotSymbol, string initialValue = "0.0",
                 string slotCondition = "", string conditionText = ""> {
  string symbol = slotSymbol;
  string initial = initialValue;
  string condition = slotCondition;
  string explanation = !if(!empty(conditionText), symbol, symbol # ", " # conditionText);
  /// True if every step leaves it above 0, given its initial value.
  bit staysPositive = false;
}

/// The variables of an optimizer, in words and in C++.
class Train_OptimizerState<string scope, list<Train_Scalar> scalars, list<Train_Slot> slots> {
  string scalarText = "Variable" # !if(!gt(!size(scalars), 1), "s", "") # ": "
      # !interleave(!foreach(one, scalars,
          !if(!empty(one.ifPositive), "", "and ") # "`" # scope # "/" # one.scalar # "`"
          # !if(!empty(one.symbol), "", " (" # one.symbol # ")")
          # !if(!empty(one.ifPositive), "", " where " # one.ifPositive # " > 0")), ", ") # ".";
  string slotText = !if(!empty(slots), "No slots.",
      "Slot" # !if(!gt(!size(slots), 1), "s", "") # ": "
      # !interleave(!foreach(i, !range(!size(slots)),
          "`<parameter>/" # scope # !if(!eq(i, 0), "", "_" # i) # "` ("
          # slots[i].explanation # ")"), ", ") # ".");
  string declaration = "/// The scalar variables by their indices.\nenum Scalar : unsigned { "
      # !interleave(!foreach(one, scalars, Train_CamelCase<one.scalar>.text), ", ") # " };\n";
  string scalarCode = !interleave(!foreach(one, scalars,
      !if(!empty(one.ifPositive), "", "if (getImpl()->" # one.ifPositive # " > 0.0) ")
      # "specs.push_back({\"" # one.scalar # "\", ScalarRole::" # one.role # ", "
      # one.initial # "});"), "\n");
  string slotCode = !interleave(!foreach(one, slots,
      !if(!empty(one.condition), "", "if (" # one.condition # ") ")
      # "specs.push_back({" # one.initial # ", {}, "
      # !if(one.staysPositive, "true", "false") # "});"), "\n");
}

/// An optimizer with these hyper-parameters and, like every one, a name that the
/// program may give it. Its variables are declared by `scalars` and `slots`: the
/// methods that list them, an enumeration of the scalars, the sentences of the
/// documentation and Python's classes are written from these.
class Train_OptimizerAttr<string name, string attrMnemonic, dag hyperParameters,
                          list<Trait> traits>
    : Train_Attr<name, attrMnemonic, traits> {
  let parameters = !con(hyperParameters,
                        (ins OptionalParameter<"::mlir::StringAttr">:$name));
  let genVerifyDecl = 1;
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;

  /// The prefix of its variables.
  string scope = name;
  list<Train_Scalar> scalars = [Train_Rate];
  list<Train_Slot> slots = [];
  /// True if the file of the optimizer has getSlots().
  bit hasOwnSlots = false;
  /// The formula and its source, and how it is written.
  string formula = "";
  /// The last sentences of the description.
  string slotText = Train_OptimizerState<scope, scalars, slots>.slotText;
  string nameText = "`name` as in `#train.sgd`.";
  let description = formula # "\n    "
      # Train_OptimizerState<scope, scalars, slots>.scalarText # " " # slotText # " " # nameText # "\n  ";

  string declarations = "";
  let extraClassDeclaration = declarations
      # Train_OptimizerState<scope, scalars, slots>.declaration;
  let extraClassDefinition = [{
    ::llvm::SmallVector<::flywheel::train::NamedNumber>
    $cppClass::getNumbers() const {
      return }] # "{" # !interleave(!foreach(i, !range(!size(hyperParameters)),
          Train_NamedNumber<hyperParameters, i>.text), "") # "};" # [{
    }
    ::llvm::StringRef $cppClass::getOptimizerName() const {
      return "}] # scope # [{";
    }
    ::llvm::SmallVector<::flywheel::train::ScalarVariableSpec>
    $cppClass::getScalarVariables() const {
      ::llvm::SmallVector<::flywheel::train::ScalarVariableSpec> specs;
      }] # Train_OptimizerState<scope, scalars, slots>.scalarCode # [{
      return specs;
    }
  }] # !if(hasOwnSlots, "", [{
    ::llvm::SmallVector<::flywheel::train::SlotSpec>
    $cppClass::getSlots(::mlir::RankedTensorType parameter) const {
      ::llvm::SmallVector<::flywheel::train::SlotSpec> specs;
      }] # Train_OptimizerState<scope, scalars, slots>.slotCode # [{
      return specs;
    }
  }]);
}

/// An optimizer with a rule for one element.
class Train_ElementwiseOptimizer<string name, string attrMnemonic, dag hyperParameters>
    : Train_OptimizerAttr<name, attrMnemonic, hyperParameters, [
        DeclareAttrInterfaceMethods<OptimizerAttrInterface>,
        DeclareAttrInterfaceMethods<ElementwiseOptimizerAttrInterface>]>;

/// An optimizer of Keras: every variable that it is given has a gradient.
class Train_KerasOptimizer<string name, string attrMnemonic, dag hyperParameters>
    : Train_ElementwiseOptimizer<name, attrMnemonic, hyperParameters> {
  let declarations = [{
    bool refusesUnconnected() const { return true; }
  }];
}

/// An optimizer whose rule is about whole tensors.
class Train_TensorOptimizer<string name, string attrMnemonic, dag hyperParameters>
    : Train_OptimizerAttr<name, attrMnemonic, hyperParameters, [
        DeclareAttrInterfaceMethods<OptimizerAttrInterface, ["buildParameterUpdate"]>]>;

def Train_SGDAttr : Train_KerasOptimizer<"SGD", "sgd", (ins
    Train_NumberOr<"0.01">:$lr, Train_NumberOr<"0.0">:$momentum,
    Train_NumberOr<"0.0">:$decay, Train_Option:$nesterov)> {
  let summary = "Stochastic gradient descent with momentum, as in Keras 2.1";
  let formula = [{
    v' = momentum * v - lr * g; p' = p + v'; with `nesterov`,
    p' = p + momentum * v' - lr * g. If `decay` > 0 the rate of a step is
    lr / (1 + decay * iterations), with the counter from before the step.

    The velocity v is a slot where momentum is 0, too, as in Keras: the momentum is
    a variable. `#train.gradient_descent` has no slot.

    Written `#train.sgd<lr = 0.01, momentum = 0.0, decay = 0.0, nesterov = false>`:
    these are the defaults, and what is left out has its default.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"momentum">, Train_Decay];
  let slots = [Train_Slot<"v">];
  let nameText = [{Variables change between steps without recompiling. With
    `name = "opt"` they are `opt/lr` and so on, and `<parameter>/opt`; see
    `train.minimize`.}];
}

def Train_MomentumAttr : Train_ElementwiseOptimizer<"Momentum", "momentum", (ins
    Train_Number:$lr, Train_NumberOr<"0.9">:$momentum, Train_Option:$nesterov)> {
  let summary = "Momentum, as in tf.train.MomentumOptimizer";
  let formula = [{
    a' = momentum * a + g; p' = p - lr * a'; with `nesterov`,
    p' = p - lr * g - lr * momentum * a'. The rate is outside the accumulator:
    it differs from `#train.sgd` when the rate changes.

    Written `#train.momentum<lr = 0.1, momentum = 0.9, nesterov = false>`: `lr` has
    no default, the other two are the defaults.
  }];
  let assemblyFormat = Train_Required<"lr", mnemonic, parameters>.format;
  let scalars = [Train_Rate, Train_Changeable<"momentum">];
  let slots = [Train_Slot<"a">];
}

def Train_AdamAttr : Train_KerasOptimizer<"Adam", "adam", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-7">:$epsilon,
    Train_NumberOr<"0.0">:$decay, Train_Option:$amsgrad)> {
  let summary = "Adam and AMSGrad, as in Keras 2.1";
  let formula = [{
    Kingma and Ba, 2014. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    lr_t = lr sqrt(1 - beta_2^t) / (1 - beta_1^t);
    p' = p - lr_t m' / (sqrt(v') + epsilon); with `amsgrad`, h' = max(h, v')
    takes the place of v' under the root. `decay` as in `#train.sgd`. With
    `epsilon = 1e-8` it is tf.train.AdamOptimizer.

    Written `#train.adam<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-7, decay = 0.0, amsgrad = false>`: these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"beta_1">,
                 Train_Changeable<"beta_2">, Train_Decay];
  let slots = [Train_Slot<"m">, Train_Slot<"v">,
               Train_Slot<"h", "0.0", "getImpl()->amsgrad", "with amsgrad">];
}

def Train_RMSpropAttr : Train_KerasOptimizer<"RMSprop", "rmsprop", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.9">:$rho,
    Train_NumberOr<"1.0e-7">:$epsilon, Train_NumberOr<"0.0">:$decay)> {
  let summary = "RMSprop, as in Keras 2.1";
  let formula = [{
    Tieleman and Hinton, 2012. a' = rho a + (1 - rho) g^2;
    p' = p - lr g / (sqrt(a') + epsilon). `decay` as in `#train.sgd`.

    Written `#train.rmsprop<lr = 0.001, rho = 0.9, epsilon = 1.0e-7, decay = 0.0>`:
    these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"rho">, Train_Decay];
  let slots = [Train_Slot<"a">];
}

def Train_AdagradAttr : Train_KerasOptimizer<"Adagrad", "adagrad", (ins
    Train_NumberOr<"0.01">:$lr, Train_NumberOr<"1.0e-7">:$epsilon,
    Train_NumberOr<"0.0">:$decay)> {
  let summary = "Adagrad, as in Keras 2.1";
  let formula = [{
    Duchi, Hazan and Singer, 2011. a' = a + g^2, from 0;
    p' = p - lr g / (sqrt(a') + epsilon). `decay` as in `#train.sgd`.

    Written `#train.adagrad<lr = 0.01, epsilon = 1.0e-7, decay = 0.0>`: these are
    the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Decay];
  let slots = [Train_Slot<"a">];
}

def Train_AdadeltaAttr : Train_KerasOptimizer<"Adadelta", "adadelta", (ins
    Train_NumberOr<"1.0">:$lr, Train_FractionOr<"0.95">:$rho,
    Train_NumberOr<"1.0e-7">:$epsilon, Train_NumberOr<"0.0">:$decay)> {
  let summary = "Adadelta, as in Keras 2.1";
  let formula = [{
    Zeiler, 2012. a' = rho a + (1 - rho) g^2;
    u = g sqrt(d + epsilon) / sqrt(a' + epsilon); p' = p - lr u;
    d' = rho d + (1 - rho) u^2. `decay` as in `#train.sgd`. `rho` is a constant.

    Written `#train.adadelta<lr = 1.0, rho = 0.95, epsilon = 1.0e-7, decay = 0.0>`:
    these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Decay];
  let slots = [Train_Slot<"a">, Train_Slot<"d">];
}

def Train_AdamaxAttr : Train_KerasOptimizer<"Adamax", "adamax", (ins
    Train_NumberOr<"0.002">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-7">:$epsilon,
    Train_NumberOr<"0.0">:$decay)> {
  let summary = "Adamax, as in Keras 2.1";
  let formula = [{
    Kingma and Ba, 2014, section 7. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; u' = max(beta_2 u, |g|);
    p' = p - lr / (1 - beta_1^t) m' / (u' + epsilon). `decay` as in `#train.sgd`.

    Written `#train.adamax<lr = 0.002, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-7, decay = 0.0>`: these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"beta_1">,
                 Train_Changeable<"beta_2">, Train_Decay];
  let slots = [Train_Slot<"m">, Train_Slot<"u">];
}

def Train_NadamAttr : Train_KerasOptimizer<"Nadam", "nadam", (ins
    Train_NumberOr<"0.002">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-7">:$epsilon,
    Train_NumberOr<"0.004">:$schedule_decay)> {
  let summary = "Nadam, as in Keras 2.1";
  let formula = [{
    Dozat, 2016. t = iterations + 1; mu(t) = beta_1 (1 - 0.96^(t schedule_decay) / 2);
    S' = S mu(t), from 1, once a step; N = S' mu(t + 1);
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    h = (1 - mu(t)) g / (1 - S') + mu(t + 1) m' / (1 - N);
    p' = p - lr h / (sqrt(v' / (1 - beta_2^t)) + epsilon). `schedule_decay` is a
    constant.

    Written `#train.nadam<lr = 0.002, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-7, schedule_decay = 0.004>`: these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"beta_1">,
                 Train_Changeable<"beta_2">, Train_Scalar<"m_schedule", "Number", "1.0", "S">];
  let slots = [Train_Slot<"m">, Train_Slot<"v">];
}

def Train_GradientDescentAttr : Train_ElementwiseOptimizer<"GradientDescent", "gradient_descent", (ins
    Train_Number:$lr)> {
  let summary = "Gradient descent, as in tf.train.GradientDescentOptimizer";
  let formula = [{
    p' = p - lr g.

    Written `#train.gradient_descent<lr = 0.1>`: `lr` has no default.
  }];
  let assemblyFormat = Train_Required<"lr", mnemonic, parameters>.format;
}

def Train_TFAdamAttr : Train_ElementwiseOptimizer<"TFAdam", "tf_adam", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-8">:$epsilon)> {
  let summary = "Adam, as in tf.train.AdamOptimizer";
  let formula = [{
    `#train.adam` with epsilon 1e-8, and with the powers of beta_1 and beta_2 in
    variables: they start at beta_1 and beta_2 and are multiplied by them after
    each step. lr_t = lr sqrt(1 - beta2_power) / (1 - beta1_power);
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    p' = p - lr_t m' / (sqrt(v') + epsilon).

    Written `#train.tf_adam<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-8>`: these are the defaults.
  }];
  let scope = "Adam";
  let scalars = [Train_Rate, Train_Changeable<"beta_1">, Train_Changeable<"beta_2">,
                 Train_Scalar<"beta1_power", "Number", "getImpl()->beta_1">,
                 Train_Scalar<"beta2_power", "Number", "getImpl()->beta_2">];
  let slots = [Train_Slot<"m">, Train_Slot<"v">];
}

/// A sum that starts above 0.
def Train_AccumulatorSlot : Train_Slot<"a", "getImpl()->initial_accumulator"> {
  let staysPositive = true;
}

def Train_TFAdagradAttr : Train_ElementwiseOptimizer<"TFAdagrad", "tf_adagrad", (ins
    Train_Number:$lr, Train_NumberOr<"0.1">:$initial_accumulator)> {
  let summary = "Adagrad, as in tf.train.AdagradOptimizer";
  let formula = [{
    Duchi, Hazan and Singer, 2011. a' = a + g^2, from `initial_accumulator`, which
    is > 0; p' = p - lr g / sqrt(a'). Rows of a table that have no gradient are
    left alone, which takes for granted that the program assigns no a of 0.

    Written `#train.tf_adagrad<lr = 0.1, initial_accumulator = 0.1>`: `lr` has no
    default, the other is the default.
  }];
  let assemblyFormat = Train_Required<"lr", mnemonic, parameters>.format;
  let scope = "Adagrad";
  let slots = [Train_AccumulatorSlot];
}

def Train_TFRMSPropAttr : Train_ElementwiseOptimizer<"TFRMSProp", "tf_rmsprop", (ins
    Train_Number:$lr, Train_FractionOr<"0.9">:$decay, Train_NumberOr<"0.0">:$momentum,
    Train_NumberOr<"1.0e-10">:$epsilon, Train_Option:$centered)> {
  let summary = "RMSProp, as in tf.train.RMSPropOptimizer";
  let formula = [{
    Tieleman and Hinton, 2012; `centered` is by Graves, 2013.
    s' = decay s + (1 - decay) g^2, from 1;
    m' = momentum m + lr g / sqrt(s' + epsilon); p' = p - m'. With `centered`,
    c' = decay c + (1 - decay) g, and max(s' - c'^2, 0) + epsilon is under the
    root: rounding may take the variance below 0, where TensorFlow makes NaN.

    Written `#train.tf_rmsprop<lr = 0.1, decay = 0.9, momentum = 0.0,
    epsilon = 1.0e-10, centered = false>`: `lr` has no default, the others are
    the defaults.
  }];
  let assemblyFormat = Train_Required<"lr", mnemonic, parameters>.format;
  let scope = "RMSProp";
  let scalars = [Train_Rate, Train_Changeable<"decay">, Train_Changeable<"momentum">];
  let slots = [Train_Slot<"s", "1.0">, Train_Slot<"c", "0.0", "getImpl()->centered">,
               Train_Slot<"m">];
  let slotText = [{Slots: `<parameter>/RMSProp` (s), then c where it is centered, then
    m: the next ones are `<parameter>/RMSProp_1` and `<parameter>/RMSProp_2`.}];
}

def Train_TFAdadeltaAttr : Train_ElementwiseOptimizer<"TFAdadelta", "tf_adadelta", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.95">:$rho,
    Train_NumberOr<"1.0e-8">:$epsilon)> {
  let summary = "Adadelta, as in tf.train.AdadeltaOptimizer";
  let formula = [{
    The formula of `#train.adadelta`, without a decay of the rate.

    Written `#train.tf_adadelta<lr = 0.001, rho = 0.95, epsilon = 1.0e-8>`: these
    are the defaults.
  }];
  let scope = "Adadelta";
  let scalars = [Train_Rate, Train_Changeable<"rho">];
  let slots = [Train_Slot<"a">, Train_Slot<"d">];
}

def Train_FtrlAttr : Train_ElementwiseOptimizer<"Ftrl", "ftrl", (ins
    Train_Number:$lr, Train_NumberOr<"-0.5">:$lr_power,
    Train_NumberOr<"0.1">:$initial_accumulator, Train_NumberOr<"0.0">:$l1,
    Train_NumberOr<"0.0">:$l2, Train_NumberOr<"0.0">:$l2_shrinkage)> {
  let summary = "FTRL-proximal, as in tf.train.FtrlOptimizer";
  let formula = [{
    McMahan et al., 2013. With k = -lr_power: n' = n + g^2, from
    `initial_accumulator`; z' = z + g + 2 l2_shrinkage p - (n'^k - n^k) / lr p;
    p' = (l1 sign(z') - z') / (n'^k / lr + 2 l2) where |z'| > l1, else 0.
    `lr_power` is a constant <= 0. The formula divides by the rate: in a step where
    it is 0, which is any below 1e-30 in magnitude, p, n and z stay as they are.

    Written `#train.ftrl<lr = 0.1, lr_power = -0.5, initial_accumulator = 0.1,
    l1 = 0.0, l2 = 0.0, l2_shrinkage = 0.0>`: `lr` has no default, the others are
    the defaults.
  }];
  let assemblyFormat = Train_Required<"lr", mnemonic, parameters>.format;
  let scalars = [Train_Rate, Train_Changeable<"l1">, Train_Changeable<"l2">,
                 Train_Changeable<"l2_shrinkage">];
  let slots = [Train_Slot<"n", "getImpl()->initial_accumulator">, Train_Slot<"z">];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINOPTIMIZERS
