"""What SciPy makes of the picture that examples/image_filter filters, as fixtures for check_outputs.cpp.

    python tests/image_filter/generate.py            # writes tests/fixtures/image_filter/*.npy
    python tests/image_filter/generate.py --check    # compares with what is committed

Needs tests/image_filter/requirements.txt. Of each output of the example two small arrays are kept: `samples`, its
elements in some rows and columns, all of the border's among them, and `blocks`, the means of its blocks of 16x16
pixels, so that every element counts.
"""
import pathlib
import sys

import numpy as np
from PIL import Image
from scipy import ndimage

root = pathlib.Path(__file__).resolve().parents[2]
folder = root / "tests" / "fixtures" / "image_filter"
size = 256


def sampled(extent):
    """The rows or columns that are kept: two at each border, and every 18th between."""
    return np.r_[0:2, 2 : extent - 2 : 18, extent - 2 : extent]


def resize(planes):
    """Bilinear, pixel centres onto pixel centres, the border repeated."""
    height, width = planes.shape[1:]
    y = (np.arange(size) + 0.5) * height / size - 0.5
    x = (np.arange(size) + 0.5) * width / size - 0.5
    grid = np.meshgrid(y, x, indexing="ij")
    return np.stack([ndimage.map_coordinates(plane, grid, order=1, mode="nearest") for plane in planes])


def oriented_kernels(count, channels):
    y, x = np.mgrid[-1:2, -1:2]
    kernels = []
    for angle in np.arange(count) * np.pi / count:
        slope = (np.cos(angle) * x + np.sin(angle) * y) * np.exp((x * x + y * y) / -2)
        kernels.append(np.stack([slope / channels] * channels))
    return np.stack(kernels)


def convolve(image, kernels):
    """Correlation with zeros around the picture, as neural networks define convolution."""
    return np.stack(
        [sum(ndimage.correlate(plane, k, mode="constant") for plane, k in zip(image, kernel)) for kernel in kernels]
    )


def blur(image):
    return np.stack([ndimage.gaussian_filter(plane, 2, mode="constant", truncate=3) for plane in image])


def edges(image):
    gradient = [[ndimage.sobel(plane, axis, mode="constant") for plane in image] for axis in (0, 1)]
    return np.hypot(*np.array(gradient))


def pixels(image):
    """The picture stretched to 0..255, as (height, width, 3) bytes."""
    image = (image - image.min()) / max(image.max() - image.min(), 1e-6)
    return np.broadcast_to(np.moveaxis(np.round(image * 255), 0, -1), (size, size, 3)).astype(np.uint8)


def outputs():
    """Every output of the example; pictures as (channels, height, width)."""
    photo = np.asarray(Image.open(root / "examples" / "data" / "coffee.png").convert("RGB"))
    resized = resize(np.moveaxis(photo, -1, 0) / 255.0)
    features = convolve(resized, oriented_kernels(16, 3))
    results = {"resized": resized, "features": features, "blurred": blur(resized), "edges": edges(resized)}
    tiles = [resized, results["blurred"], np.clip(results["edges"], 0, 2)] + [features[i : i + 1] for i in (0, 5, 10)]
    tiles = [pixels(tile) for tile in tiles]
    sheet = np.concatenate([np.concatenate(tiles[:3], axis=1), np.concatenate(tiles[3:], axis=1)])
    return results | {"sheet": np.moveaxis(sheet, -1, 0)}


def fixtures():
    for name, image in outputs().items():
        channels, height, width = image.shape
        kind = np.uint8 if image.dtype == np.uint8 else np.float32
        yield f"{name}_samples", image[:, sampled(height)][:, :, sampled(width)].astype(kind)
        blocks = image.reshape(channels, height // 16, 16, width // 16, 16).mean(axis=(2, 4), dtype=np.float64)
        yield f"{name}_blocks", blocks.astype(np.float32)


def main():
    check = "--check" in sys.argv[1:]
    folder.mkdir(exist_ok=True)
    for name, array in fixtures():
        path = folder / f"{name}.npy"
        if not check:
            np.save(path, array)
        elif not np.allclose(np.load(path), array, rtol=0, atol=1e-6 if array.dtype != np.uint8 else 1):
            sys.exit(f"{path} is not what SciPy answers now")


main()
