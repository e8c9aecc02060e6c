"""How far a sum, a product or a variance may be from the exact one, in units of eps, in whatever order it is computed.

With u = eps / 2 the largest relative error of one operation, n - 1 additions in any order are off by at most
(n - 1) u sum|x| and n - 1 multiplications by (n - 1) u |product|, to first order in u (Higham, Accuracy and Stability of
Numerical Algorithms, 2002, sections 3.1 and 4.2). Every bound has one more u for the expected value, which is rounded too.
"""

import numpy as np

# The relative error of a product of complex numbers is at most sqrt(5) u (Brent, Percival and Zimmermann, 2007).
COMPLEX_PRODUCT = np.sqrt(5)


def of_sum(count, total):
    """Of `count` terms with magnitudes that add up to `total`."""
    return count / 2 * total


def of_inner_product(count, total, is_complex):
    """Of `count` products, or twice as many where both have two parts, with magnitudes that add up to `total`."""
    return ((2 if is_complex else 1) * count + 1) / 2 * total


def of_product(count, size, is_complex):
    """Of `count` factors; `size` is the magnitude of the product."""
    return (count * (COMPLEX_PRODUCT if is_complex else 1) + 1) / 2 * size


def of_mean(count, total):
    """As a sum, with a division; and elements may be rounded when they are converted."""
    return (count + 2) / 2 * total / count


def of_variance(count, ddof, size, total, eps, root, converted):
    """Of squared deviations from a computed mean; `size` is the magnitude of the result, the root of the variance or not.

    The mean is off by d <= of_mean(...) eps, which adds d^2 to the mean square, since the deviations from the true mean
    add up to 0. Each deviation is off by u of itself; it, its square (of two parts, if complex), their sum and the
    division are off by count + 4 times u in all. Where elements are rounded on conversion (`converted`), each deviation
    is also off by c <= u max|x| <= u total, which by Cauchy and Schwarz changes the mean square by 2 c sigma + c^2."""
    left = np.maximum(count - ddof, 0)
    relative = (count + 5) / 2
    of_elements = of_mean(count, total) + (total / 2 if converted else 0)
    shift = of_elements * np.sqrt(count / left)
    if root:
        return relative / 2 * size + size + shift
    cross = 2 * (total / 2) * np.sqrt(size) * np.sqrt(count / left) if converted else 0
    return relative * size + cross + shift * shift * eps
